/** What a client of a dialect ends up with. */
import { eventsOf, type SentEvent } from '../support/events.ts';
import { list, object, text, type Wired } from '../support/json.ts';
import { readerOf } from '../support/reading/index.ts';
import type { Answer, Reading } from '../support/reading/reading.ts';
import { classOf, type ErrorClass } from './errors.ts';

/** A stream as its client sees it. */
export interface Outcome {
  dialect: string;
  /** All that was written. */
  stream: string;
  events: readonly SentEvent[];
  /** The payloads that are JSON. */
  payloads: readonly Wired[];
  reading: Reading;
  /** The first answer. */
  answer: Answer;
  error: SeenError | undefined;
}

/** An error in a stream. */
export interface SeenError {
  type: ErrorClass;
  message: string;
  /** Whether something of the answer came before it. */
  afterOutput: boolean;
}

/** A failure that Gemini tells as the end of an answer, in its own word. */
function failedFinish({ finishReason: type, finishMessage: message }: Wired): object | undefined {
  return /^(MALFORMED|UNEXPECTED|MISSING)_/.test(text(type)) ? { type, message } : undefined;
}

/** Where each dialect has an error in its payloads. */
const errors: Readonly<Record<string, (payload: Wired) => unknown>> = {
  chat: ({ error }) => error,
  gemini: ({ error, candidates }) => error ?? list(candidates).map(failedFinish).find(Boolean),
  interactions: ({ event_type, error }) => (event_type === 'error' ? error : undefined),
  messages: ({ type, error }) => (type === 'error' ? error : undefined),
  responses: ({ type, error, response, ...flat }) => {
    if (type === 'error') return error ?? { ...flat, type: flat.code };
    return type === 'response.failed' ? object(response).error : undefined;
  },
};

/** Reads what was written for a client. */
export function outcomeOf(dialect: string, stream: string): Outcome {
  const events = eventsOf(stream);
  const payloads = events.flatMap(({ json }) => (json === undefined ? [] : [json]));
  const reading = readingOf(dialect, payloads);
  return { dialect, stream, events, payloads, reading, answer: reading.answers[0], error: errorIn(dialect, payloads) };
}

function readingOf(dialect: string, payloads: readonly Wired[]): Reading {
  const reader = readerOf(dialect, { recorded: false });
  for (const payload of payloads) reader.take(payload);
  return reader.reading;
}

function errorIn(dialect: string, payloads: readonly Wired[]): SeenError | undefined {
  const find = errors[dialect];
  const at = payloads.findIndex((payload) => Boolean(find?.(payload)));
  if (at < 0) return undefined;
  const error = object(find?.(payloads[at] as Wired));
  const { text: said, reasoning, refusal, calls } = readingOf(dialect, payloads.slice(0, at)).answers[0];
  const afterOutput = [said, refusal, reasoning, calls].some(({ length }) => length > 0);
  return { type: classOf(error), message: text(error.message), afterOutput };
}

/** The payloads of one type. */
export function ofType({ payloads }: Outcome, type: string): readonly Wired[] {
  return payloads.filter((payload) => payload.type === type);
}

/** The choices of a Chat stream, chunk by chunk. */
export function choicesOf({ payloads }: Outcome): readonly Wired[] {
  return payloads.flatMap(({ choices }) => list(choices));
}

/** The deltas of a Chat stream, or of a Messages stream. */
export function deltasOf(outcome: Outcome): readonly Wired[] {
  if (outcome.dialect === 'chat') return choicesOf(outcome).map(({ delta }) => object(delta));
  return outcome.payloads.flatMap(({ delta }) => (delta === undefined ? [] : [object(delta)]));
}
