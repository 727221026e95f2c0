/** An upstream over HTTP: the request encoded and sent, the answer read as batches of events. */

import {
  type CanonicalError,
  createReader,
  type Dialect,
  type DialectId,
  type EncodedRequest,
  GatewayError,
  Ids,
  type Limits,
  type Loss,
  type LossPolicy,
  type Maker,
  type Provider,
  type ReaderOptions,
  type RequestOptions,
  type TokenCount,
  toCanonicalError,
  type Upstream,
  type UpstreamCall,
  type UpstreamHead,
  type UpstreamReply,
} from '@streamglot/core';
import { createTransport } from '#transport';
import { endpoint } from './address.ts';
import { Answer } from './answer.ts';
import { countable, countOf, countRequest } from './count.ts';
import { bodyHeaders, type HeaderMap, meant, merged } from './headers.ts';
import { identityOf } from './identity.ts';
import { isLong } from './long.ts';
import { refusal, requestIdOf, textOf } from './refusal.ts';
import { type Again, resumable } from './resume.ts';
import { cleaned, secretsOf } from './secrets.ts';
import { type Fetch, fetchTransport } from './transport/fetch.ts';
import type { Transport, TransportReply } from './transport/transport.ts';
import { maxTimerMs, Watch } from './watch.ts';

/** What every provider over HTTP can be told. */
export interface HttpOptions {
  timeouts?: Timeouts;
  /** Sends through this function instead of the runtime's own transport; for proxies and tests. */
  fetch?: Fetch;
  limits?: Partial<Limits>;
  /** The tokens to ask for where the dialect demands a number and the client gave none. */
  maxOutputTokens?: number;
}

/** How long to wait, in milliseconds. What comes after the head is the caller's to limit. */
export interface Timeouts {
  /** For DNS, TCP and TLS; 10 seconds unless told. Fetch cannot tell this apart from the head. */
  connectMs?: number;
  /** From sending to the head of the answer; 10 minutes unless told, as whole answers begin when they are complete. */
  headMs?: number;
}

/** An API as its provider describes it. */
export interface Service {
  name: string;
  dialect: Dialect;
  base: URL;
  headers: HeaderMap;
  http: HttpOptions;
  /** Whether it takes temperature and its kin; absent means it does. */
  sampling?: boolean;
  /** How a model is told to think; absent means as the client said it. */
  thinking?: (model: string) => RequestOptions['thinking'];
  /** Habits that its decoder is told of. */
  habits?: Partial<ReaderOptions>;
}

/** A provider of an API's models. All its upstreams share one pool of connections. */
export function httpProvider(service: Service): Provider {
  const { fetch, timeouts } = service.http;
  const connectMs = Math.min(timeouts?.connectMs ?? 10_000, maxTimerMs);
  const transport = fetch === undefined ? createTransport({ connectMs }) : fetchTransport(fetch);
  return {
    name: service.name,
    keyed: secretsOf(service.headers).length > 0,
    upstream: (model) =>
      new (countable.has(service.dialect.id) ? CountingUpstream : HttpUpstream)(service, transport, model),
  };
}

class HttpUpstream implements Upstream {
  readonly id: string;
  readonly dialect: DialectId;
  readonly makers: readonly Maker[];
  readonly #service: Service;
  readonly #transport: Transport;
  readonly #model: string;
  readonly #secrets: readonly string[];
  readonly #identity: string;

  constructor(service: Service, transport: Transport, model: string) {
    this.id = `${service.name}/${model}`;
    this.dialect = service.dialect.id;
    this.#service = service;
    this.#transport = transport;
    this.#model = model;
    this.#secrets = secretsOf(service.headers);
    this.#identity = identityOf(service);
    this.makers = [{ provider: this.#identity, dialect: this.dialect }];
  }

  async open(call: UpstreamCall): Promise<UpstreamReply> {
    const { encoded, stream } = this.#written(call);
    const losses = admitted(encoded.losses, call.losses ?? 'reject');
    return this.exchange(call.signal, async (watch) => {
      const reply = await this.send(encoded, call.headers, stream, watch.signal);
      watch.begun();
      return {
        head: this.#head(reply, losses),
        batches: this.#batches(this.#lasting(reply, encoded, call, watch.signal), encoded, call, watch),
      };
    });
  }

  /** Does a thing under a watch, and takes secrets out of what goes wrong with it. */
  protected async exchange<T>(signal: AbortSignal, run: (watch: Watch) => Promise<T>): Promise<T> {
    const watch = new Watch(signal, this.#service.http.timeouts?.headMs ?? 600_000);
    try {
      return await run(watch);
    } catch (thrown) {
      watch.release();
      const headers = thrown instanceof GatewayError ? thrown.headers : undefined;
      throw new GatewayError(this.#clean(toCanonicalError(thrown)), { cause: thrown, ...(headers && { headers }) });
    }
  }

  /** A whole answer that would take long is streamed: its events are the same. */
  #written(call: UpstreamCall): { encoded: EncodedRequest; stream: boolean } {
    const encoded = this.encode(call, call.stream);
    if (call.stream || !isLong(this.dialect, encoded.body)) return { encoded, stream: call.stream };
    return { encoded: this.encode(call, true), stream: true };
  }

  /** The request as it is sent. */
  protected encode({ request, context }: Pick<UpstreamCall, 'request' | 'context'>, stream: boolean): EncodedRequest {
    const { dialect, http, sampling } = this.#service;
    const options: RequestOptions = { stream, provider: this.#identity };
    if (http.maxOutputTokens !== undefined) options.maxOutputTokens = http.maxOutputTokens;
    if (sampling !== undefined) options.sampling = sampling;
    const thinking = this.#service.thinking?.(this.#model);
    if (thinking !== undefined) options.thinking = thinking;
    return dialect.encodeRequest({ ...request, model: this.#model }, context, options);
  }

  /** Sends a request. Rejects with `GatewayError` for every answer that is no success. */
  protected async send(
    encoded: EncodedRequest,
    passed: UpstreamCall['headers'],
    stream: boolean,
    signal: AbortSignal,
  ): Promise<TransportReply> {
    const { base, headers, dialect } = this.#service;
    const reply = await this.#transport.send({
      url: endpoint(base, encoded.path, encoded.query),
      headers: merged(meant(passed, dialect.id), bodyHeaders(stream), encoded.headers, headers),
      body: JSON.stringify(encoded.body),
      signal,
    });
    if (reply.status >= 200 && reply.status <= 299) return reply;
    throw new GatewayError(await refusal(reply, dialect), { headers: reply.headers });
  }

  /** A reply whose body goes on where it was cut, where its upstream keeps it. */
  #lasting(
    reply: TransportReply,
    encoded: EncodedRequest,
    { headers: passed }: UpstreamCall,
    signal: AbortSignal,
  ): TransportReply {
    const { base, headers, dialect } = this.#service;
    const again: Again = async (path, query) => {
      const url = endpoint(base, path, query);
      const all = merged(passed, bodyHeaders(true), encoded.headers, headers);
      const next = await this.#transport.send({ url, method: 'GET', headers: all, body: '', signal });
      if (next.status === 200) return next;
      throw new GatewayError(await refusal(next, dialect));
    };
    return { ...reply, body: resumable(reply, dialect.id, encoded, again) };
  }

  #head({ status, headers }: TransportReply, losses: readonly Loss[]): UpstreamHead {
    const requestId = requestIdOf(headers);
    return {
      status,
      headers,
      dialect: this.#service.dialect.id,
      ...(requestId !== undefined && { requestId }),
      ...(losses.length > 0 && { losses }),
    };
  }

  #batches(reply: TransportReply, { restore }: EncodedRequest, call: UpstreamCall, watch: Watch): Answer {
    const { dialect, habits, http } = this.#service;
    const { status, headers, body } = reply;
    const options: ReaderOptions = { ...habits, ids: new Ids(call.context.seed), status, headers };
    const contentType = headers.get('content-type');
    if (contentType !== undefined) options.contentType = contentType;
    options.limits = { ...call.limits, ...http.limits };
    const reader = createReader(dialect, options);
    return new Answer({ body, reader, restore, watch, clean: (error) => this.#clean(error) });
  }

  #clean(error: CanonicalError): CanonicalError {
    return cleaned(error, this.#secrets);
  }
}

/** An upstream of a dialect that has an endpoint for it. */
class CountingUpstream extends HttpUpstream {
  countTokens(call: Omit<UpstreamCall, 'stream'>): Promise<TokenCount> {
    const encoded = countRequest(this.dialect, this.encode(call, false));
    admitted(encoded.losses, call.losses ?? 'reject');
    return this.exchange(call.signal, async (watch) => {
      const reply = await this.send(encoded, call.headers, false, watch.signal);
      const text = await textOf(reply);
      watch.release();
      const requestId = requestIdOf(reply.headers);
      return { inputTokens: countOf(text), ...(requestId !== undefined && { requestId }) };
    });
  }
}

/** The losses that observers are told. Throws `GatewayError` (400) for a severe one under `reject`. */
function admitted(losses: readonly Loss[], policy: LossPolicy): readonly Loss[] {
  const severe = policy === 'reject' ? losses.find((loss) => loss.severity === 'severe') : undefined;
  if (severe === undefined) return policy === 'drop' ? [] : losses;
  const message = `${severe.field}: ${severe.reason}`;
  throw new GatewayError({ type: 'invalid_request', code: 'unsupported_field', param: severe.field, message });
}
