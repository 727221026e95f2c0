/** Upstreams that do what a test says, in virtual time, and requests for them. */
import {
  type Batch,
  type CanonicalError,
  type CanonicalEvent,
  type CanonicalRequest,
  GatewayError,
  type Upstream,
  type UpstreamCall,
  type UpstreamHead,
  type UpstreamReply,
} from '@streamglot/core';
import { closing, delta, failing, opening } from '../gateway/play.ts';
import type { VirtualClock } from './clock.ts';

/** One step of an answer: time that passes, a refusal before the head, the head, events of one batch, or the end of bytes. */
export type Step =
  | { readonly wait: number }
  | { readonly refuse: CanonicalError; readonly headers?: Readonly<Record<string, string>> }
  | { readonly head: Readonly<Record<string, string>> }
  | { readonly say: readonly CanonicalEvent[] }
  | { readonly crash: string }
  | 'cut';

/** An upstream over a script for each of its calls; the last one is for all that follow. */
export class Scripted implements Upstream {
  readonly id: string;
  readonly calls: UpstreamCall[] = [];
  /** Answers under way. */
  open = (call: UpstreamCall): Promise<UpstreamReply> => this.#open(call);
  running = 0;
  readonly #clock: VirtualClock;
  readonly #scripts: readonly (readonly Step[])[];

  constructor(id: string, clock: VirtualClock, ...scripts: readonly (readonly Step[])[]) {
    this.id = id;
    this.#clock = clock;
    this.#scripts = scripts;
  }

  async #open(call: UpstreamCall): Promise<UpstreamReply> {
    const script = this.#scripts[Math.min(this.calls.length, this.#scripts.length - 1)] ?? [];
    this.calls.push(call);
    this.running++;
    let headers: Readonly<Record<string, string>> = {};
    let at = 0;
    try {
      for (; at < script.length; at++) {
        const step = script[at] as Step;
        if (step === 'cut' || 'say' in step || 'crash' in step) break;
        if ('wait' in step) await this.#unlessAborted(step.wait, call.signal);
        else if ('refuse' in step)
          throw new GatewayError(step.refuse, { headers: new Map(Object.entries(step.headers ?? {})) });
        else headers = step.head;
      }
    } catch (thrown) {
      this.running--;
      throw thrown;
    }
    const head: UpstreamHead = { status: 200, headers: new Map(Object.entries(headers)), dialect: 'chat' };
    return { head, batches: this.#batches(script.slice(at), call.signal) };
  }

  async *#batches(steps: readonly Step[], signal: AbortSignal): AsyncGenerator<Batch, void> {
    try {
      for (const step of steps) {
        if (step === 'cut') return;
        if ('crash' in step) throw new Error(step.crash);
        if ('wait' in step) await this.#unlessAborted(step.wait, signal);
        else if ('say' in step) yield { frames: [step.say], receivedAt: this.#clock.now(), bytes: 10 };
      }
    } catch (thrown) {
      if (signal.aborted) return;
      throw thrown;
    } finally {
      this.running--;
    }
  }

  #unlessAborted(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((settle, reject) => {
      const abort = (): void => {
        callOff();
        reject(signal.reason);
      };
      const callOff = this.#clock.after(ms, () => {
        signal.removeEventListener('abort', abort);
        settle();
      });
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
    });
  }
}

/** An answer of one text: its first piece after so many milliseconds, its end after so many more. */
export function telling(text: string, firstMs = 10, moreMs = 10): readonly Step[] {
  return [{ wait: firstMs }, { say: [...opening, delta(text)] }, { wait: moreMs }, { say: closing }];
}

/** How answers begin before anything is generated. */
export const lifecycle: Step = { say: [{ type: 'response-start', id: 'resp_1', model: 'm', role: 'assistant' }] };

/** A refusal before the head. */
export function refusing(
  error: Partial<CanonicalError>,
  headers: Readonly<Record<string, string>> = {},
): readonly Step[] {
  return [{ refuse: { type: 'api_error', message: 'No.', ...error }, headers }];
}

/** An in-band error. */
export function erring(error: Partial<CanonicalError>): Step {
  return { say: [failing({ type: 'overloaded', message: 'Busy.', ...error })] };
}

/** A request for whatever there is. */
export function callOf(more: Partial<UpstreamCall> = {}, request: Partial<CanonicalRequest> = {}): UpstreamCall {
  return {
    request: {
      model: 'm',
      system: [],
      turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }],
      tools: [],
      ...request,
    },
    context: { dialect: 'chat', stream: true },
    stream: true,
    signal: new AbortController().signal,
    ...more,
  };
}

/** What came of a request. */
export interface Came {
  readonly text: string;
  /** The first error, thrown or in-band. */
  readonly error: CanonicalError | undefined;
  /** Whether an answer had begun. */
  readonly begun: boolean;
  readonly types: readonly string[];
  readonly head: UpstreamHead | undefined;
}

/** Asks and reads to the end. */
export async function read(upstream: Upstream, call: UpstreamCall = callOf()): Promise<Came> {
  let text = '';
  let error: CanonicalError | undefined;
  let head: UpstreamHead | undefined;
  const types: string[] = [];
  try {
    const reply = await upstream.open(call);
    head = reply.head;
    for await (const { frames } of reply.batches)
      for (const event of frames.flat()) {
        types.push(event.type);
        if (event.type === 'block-delta' && event.delta.type === 'text') text += event.delta.text;
        if (event.type === 'error') error ??= event.error;
      }
  } catch (thrown) {
    error ??=
      thrown instanceof GatewayError ? thrown.error : { type: 'api_error', code: 'thrown', message: String(thrown) };
  }
  return { text, error, begun: head !== undefined, types, head };
}
