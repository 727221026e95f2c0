/** The two ways to answer a client: as a stream, or with one body when all is there. */
import {
  type Batch,
  type CanonicalError,
  Collector,
  type Dialect,
  dataEvent,
  type Encoder,
  type EncoderOptions,
  GatewayError,
  Ids,
  type Loss,
  type RequestContext,
  type UpstreamHead,
} from '@streamglot/core';
import type { Client } from './client.ts';
import { Copy } from './copy.ts';
import { arrayHead, jsonHead, passedOut, requestIds, streamHead } from './headers.ts';
import type { Settings } from './schema.ts';
import type { Keeper } from './store/keeper.ts';
import type { Watch } from './watch.ts';

/** What a client is given. */
export interface Answer {
  /** Whether status and headers have gone out: from then on a failure can only be told in-band. */
  readonly begun: boolean;
  /** Why the encoder itself ended the answer, where it did. */
  readonly failure: CanonicalError | undefined;
  /** What of the answer the client's dialect could not express. */
  readonly losses: readonly Loss[];
  /** What the upstream has said before its first event, once it has. */
  head: UpstreamHead | undefined;
  /** Whether a failure found in a batch with output can still be told as an HTTP status. */
  readonly whole: boolean;
  /** Takes a batch; returns how many bytes the client has yet to take. */
  take(batch: Batch): number;
  /** Takes the batch with the ending. Throws where no whole answer comes of it. */
  last(batch: Batch): Promise<void>;
  /** Gives a sign of life. */
  idle(): void;
  /** Says truthfully that this was not the whole answer. */
  fail(error: CanonicalError): Promise<void>;
}

/** What both ways know. */
export interface AnswerOptions {
  readonly id: string;
  readonly dialect: Dialect;
  readonly context: RequestContext;
  readonly client: Client;
  readonly settings: Settings;
  readonly watch: Watch;
  /** Keeps the answer; absent where nothing is kept of it. */
  readonly keeper?: Keeper;
}

/** The answer that the request asked for. */
export function answerOf(options: AnswerOptions): Answer {
  return options.context.stream ? new StreamedAnswer(options) : new WholeAnswer(options);
}

function outOf(id: string, head: UpstreamHead | undefined): Record<string, string> {
  return { ...requestIds(head?.requestId ?? id), ...passedOut(head?.headers) };
}

function encoding({ context, settings }: AnswerOptions): EncoderOptions {
  const { framing } = context;
  return { ids: new Ids(context.seed), limits: settings.limits, context, framing, ...settings.encoding };
}

/** White space, which may stand before an array and between its elements. */
const BETWEEN = '\n';

class StreamedAnswer implements Answer {
  begun = false;
  readonly whole = false;
  head: UpstreamHead | undefined;
  readonly #options: AnswerOptions;
  readonly #encoder: Encoder;
  /** The whole answer, where it is kept and the stream itself does not repeat it. */
  readonly #copy: Copy | undefined;
  #spoken = false;

  constructor(options: AnswerOptions) {
    this.#options = options;
    this.#encoder = options.dialect.encoder(encoding(options));
    if (options.keeper !== undefined && options.dialect.id !== 'responses')
      this.#copy = new Copy(options.dialect, encoding(options));
  }

  get failure(): CanonicalError | undefined {
    return this.#encoder.failure;
  }

  get losses(): readonly Loss[] {
    return this.#encoder.losses;
  }

  take(batch: Batch): number {
    const text = this.#encode(batch);
    if (text === '') return 0;
    this.#options.watch.wrote();
    return this.#options.client.write(text);
  }

  last(batch: Batch): Promise<void> {
    const text = this.#encode(batch);
    return this.#finish(text + this.#encoder.end());
  }

  idle(): void {
    this.#begin();
    const { client, context, dialect } = this.#options;
    client.write(context.framing === 'json-array' ? BETWEEN : dialect.keepAlive(this.#spoken));
  }

  fail(error: CanonicalError): Promise<void> {
    return this.#finish(this.#encoder.push([{ type: 'error', error }]));
  }

  /** The client may name the answer as soon as it has the ending, so it is kept before. */
  #finish(text: string): Promise<void> {
    const { client, keeper, dialect } = this.#options;
    const response = this.#encoder.response ?? this.#copy?.response;
    const kept = response === undefined ? undefined : keeper?.keep(response, this.head?.dialect === dialect.id);
    return kept === undefined ? client.end(text) : kept.then(() => client.end(text));
  }

  #encode({ frames }: Batch): string {
    let text = '';
    for (const events of frames) text += this.#encoder.push(events);
    if (this.#copy !== undefined) for (const events of frames) this.#copy.add(events);
    if (text !== '' && !this.#spoken) {
      this.#begin();
      this.#spoken = true;
    }
    return text;
  }

  #begin(): void {
    if (this.begun) return;
    this.begun = true;
    const { client, context, id } = this.#options;
    const head = context.framing === 'json-array' ? arrayHead : streamHead;
    client.head(200, { ...head, ...outOf(id, this.head) });
  }
}

class WholeAnswer implements Answer {
  begun = false;
  readonly whole = true;
  failure: CanonicalError | undefined;
  readonly losses: readonly Loss[] = [];
  head: UpstreamHead | undefined;
  readonly #options: AnswerOptions;
  readonly #collector = new Collector();
  #bytes = 0;

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  take({ frames, bytes }: Batch): number {
    this.#bytes += bytes;
    const most = this.#options.settings.limits.maxAccumulatedBytes;
    if (this.#bytes > most)
      this.failure = {
        type: 'too_large',
        code: 'answer_too_large',
        message: `The answer is larger than ${most} bytes.`,
      };
    else for (const events of frames) this.#collector.addFrame(events);
    return 0;
  }

  last(batch: Batch): Promise<void> {
    this.take(batch);
    if (this.failure !== undefined) throw new GatewayError(this.failure);
    const { dialect, keeper } = this.#options;
    const response = dialect.encodeResponse(this.#collector.response(), encoding(this.#options));
    const kept = isObject(response) ? keeper?.keep(response, this.head?.dialect === dialect.id) : undefined;
    const body = JSON.stringify(response);
    return kept === undefined ? this.#send(body) : kept.then(() => this.#send(body));
  }

  #send(body: string): Promise<void> {
    const { client, context, id } = this.#options;
    const isEvent = context.framing === 'sse';
    this.begun = true;
    client.head(200, { ...(isEvent ? streamHead : jsonHead), ...outOf(id, this.head) });
    return client.end(isEvent ? dataEvent(body) : body);
  }

  idle(): void {}

  /** Once the head is out, the body is too; only a broken connection can still say no. */
  async fail(): Promise<void> {
    this.#options.client.destroy();
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
