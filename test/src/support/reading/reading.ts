/** What a client makes of a stream, in words that all dialects share. */
import { parsed } from '../json.ts';

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

/** What the events of a stream say. */
export interface Reading {
  /** At least one, by index. */
  answers: readonly [Answer, ...Answer[]];
  usage: Tokens | undefined;
  /** The message of the error that the stream itself reports as an event among others. */
  error: string | undefined;
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
  /** The arguments as they came. */
  json: string;
  /** The arguments; their text where they are no whole JSON, or free text. */
  input: unknown;
  custom: boolean;
}

/** Tokens, counted inclusively; what was not told is absent. */
export interface Tokens {
  input: number;
  output: number;
  cached?: number;
  cacheWritten?: number;
  reasoning?: number;
  total?: number;
}

/** Reads the events of one stream. */
export interface Reader {
  take(event: unknown): void;
  /** What they have said so far. */
  readonly reading: Reading;
}

/** How a reader takes what no protocol allows. */
export interface ReaderOptions {
  /** Reads the habits of recorded servers; else no more than an official accumulator reads. */
  recorded: boolean;
  provider?: string;
}

/** A call while it is read. */
export interface CallDraft {
  index: unknown;
  id: string | undefined;
  name: string;
  json: string;
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
    const call: CallDraft = { index, id: undefined, name: '', json: '', custom };
    this.calls.push(call);
    return call;
  }

  /** The candidate as it is now. */
  get answer(): Answer {
    const { text, refusal, word, end } = this;
    return { text, refusal, reasoning: [...this.#reasoning.values()], calls: this.calls.map(callOf), end, word };
  }
}

function callOf({ id, name, json, custom }: CallDraft): Call {
  return { id, name, json, input: custom ? json : inputOf(json), custom };
}

/** Arguments as a client takes them: none, and `null`, mean an empty object; what is no JSON stays text. */
export function inputOf(json: string): unknown {
  if (json.trim() === '') return {};
  const value = parsed(json);
  return value === undefined ? json : (value ?? {});
}

/** Usage whose counters were told or not; nothing where no main counter was. */
export function tokensOf(counters: { [K in keyof Tokens]: unknown }): Tokens | undefined {
  const told = Object.entries(counters).filter(([, value]) => typeof value === 'number' && Number.isFinite(value));
  return told.length === 0 ? undefined : { input: 0, output: 0, ...Object.fromEntries(told) };
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
