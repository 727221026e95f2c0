/** What a client makes of a stream, in words that all dialects share. */
import { parsed } from '../../support/json.ts';

/** Why an answer ended, as a client can tell. */
export type End =
  | 'stop'
  | 'length'
  | 'tool_calls'
  | 'content_filter'
  | 'refusal'
  | 'pause'
  | 'context_overflow'
  | 'other'
  | 'error';

/** One stream, read by an official SDK. */
export interface Reading {
  /** At least one, by index. */
  answers: readonly [Answer, ...Answer[]];
  usage: Tokens | undefined;
  fault: Fault | undefined;
  /** What the SDK's own accumulator made of it. */
  accumulated: Accumulated;
  /** The first index that stands for two things, or for none. */
  misused: string | undefined;
}

/** One candidate. */
export interface Answer {
  text: string;
  refusal: string;
  /** Reasoning, in the parts that the dialect has. */
  reasoning: readonly string[];
  calls: readonly Call[];
  /** Absent where the stream did not say it. */
  end: End | undefined;
  /** The upstream's own word for it. */
  word: string | undefined;
}

/** One call that the client has to answer. */
export interface Call {
  /** Absent where the stream gave none. */
  id: string | undefined;
  name: string;
  /** The arguments; their text where they are no whole JSON, or free text. */
  input: unknown;
  custom: boolean;
}

/** Tokens, counted inclusively. */
export interface Tokens {
  input: number;
  output: number;
  cached: number;
  cacheWritten: number;
  reasoning: number;
}

/** Why an SDK stopped reading. */
export interface Fault {
  message: string;
  /** Whether the stream itself reported it; else the SDK could not read the bytes. */
  reported: boolean;
}

/** The text and the calls of the whole answer, or why there is none. */
export type Accumulated = { text: string; calls: readonly Call[] } | { failure: string };

/** Whether a client is told that the answer failed. */
export function hasFailed({ fault, answers }: Reading): boolean {
  return fault !== undefined || answers[0].end === 'error';
}

/** A call while it is read. */
export interface CallDraft {
  index: unknown;
  id: string | undefined;
  name: string;
  input: string;
  custom: boolean;
}

/** A candidate while it is read. */
export class AnswerDraft {
  text = '';
  refusal = '';
  word: string | undefined;
  end: End | undefined;
  readonly calls: CallDraft[] = [];
  readonly #reasoning = new Map<string, string>();

  /** Adds to a part of the reasoning. */
  think(text: string, part = ''): void {
    if (text !== '') this.#reasoning.set(part, (this.#reasoning.get(part) ?? '') + text);
  }

  /** Begins a call. */
  call(index: unknown, custom = false): CallDraft {
    const call: CallDraft = { index, id: undefined, name: '', input: '', custom };
    this.calls.push(call);
    return call;
  }

  /** The candidate as it is now. */
  answer(): Answer {
    const { text, refusal, word, end } = this;
    const calls = this.calls.map(({ id, name, input, custom }) => ({
      id,
      name,
      input: custom ? input : inputOf(input),
      custom,
    }));
    return { text, refusal, reasoning: [...this.#reasoning.values()], calls, end, word };
  }
}

/** Arguments as a client takes them: none, and `null`, mean an empty object; what is no JSON stays text. */
export function inputOf(json: string): unknown {
  if (json.trim() === '') return {};
  const value = parsed(json);
  return value === undefined ? json : (value ?? {});
}

/** Says whether indexes are used as they were opened. */
export class Indexes {
  misused: string | undefined;
  readonly #opened = new Set<unknown>();

  open(index: unknown): void {
    if (this.#opened.has(index)) this.misused ??= `index ${index} is used twice`;
    this.#opened.add(index);
  }

  use(index: unknown): void {
    if (!this.#opened.has(index)) this.misused ??= `index ${index} gets a delta and was never opened`;
  }
}
