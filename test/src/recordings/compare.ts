/** Whether a client understood what the upstream said: one named check for each thing that can get lost. */
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Call, Tokens } from '../support/reading/reading.ts';
import {
  carriesChoices,
  carriesRefusal,
  countersFor,
  endsFor,
  inputsFor,
  isHosted,
  sameId,
  sameInput,
  sameReasoning,
} from './carriage.ts';
import type { AccumulatedCall } from './oracle/accumulator.ts';
import { hasFailed, type Read } from './oracle/index.ts';

/** A stream as the upstream's SDK read it and its translation as the client's SDK did. */
export interface Pair {
  from: string;
  to: string;
  sent: Read;
  got: Read;
  /** Whether the upstream sent `[DONE]`. */
  doneMarker: boolean;
}

/** Says what differs; nothing where nothing does, or where the question does not arise. */
export type Check = (pair: Pair) => string | undefined;

/** Every check by its name. */
const checks: Readonly<Record<string, Check>> = {
  text: (pair) => each(pair, textOf),
  refusal: (pair) => each(pair, refusalOf),
  reasoning: (pair) => each(pair, reasoningOf),
  calls: (pair) => (toldFailure(pair) ? undefined : each(pair, callsOf)),
  end: (pair) => (toldFailure(pair) ? undefined : each(pair, endOf)),
  failure: failureOf,
  usage: usageOf,
  accumulator: accumulatorOf,
  indexes: ({ from, to, got }) => (from === to ? undefined : got.misused),
};

/** All that differs in a pair. */
export function differences(pair: Pair): readonly string[] {
  return Object.entries(checks).flatMap(([name, check]) => {
    const difference = check(pair);
    return difference === undefined ? [] : [`${name}: ${difference}`];
  });
}

function each(pair: Pair, compare: (sent: Answer, got: Answer, pair: Pair) => string | undefined): string | undefined {
  const { sent, got, to } = pair;
  const count = carriesChoices.has(to) ? sent.answers.length : 1;
  if (got.answers.length !== count) return differ(`${count} answers`, got.answers.length);
  for (const [at, answer] of sent.answers.slice(0, count).entries()) {
    const difference = compare(answer, got.answers[at] as Answer, pair);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function textOf(sent: Answer, got: Answer, { from, to }: Pair): string | undefined {
  const asText = from !== to && !carriesRefusal.has(to) ? sent.text + sent.refusal : sent.text;
  return got.text === sent.text || got.text === asText ? undefined : differAt(sent.text, got.text);
}

function refusalOf(sent: Answer, got: Answer, { to }: Pair): string | undefined {
  if (sent.refusal === '' || !carriesRefusal.has(to)) return undefined;
  return got.refusal === sent.refusal ? undefined : differAt(sent.refusal, got.refusal);
}

function reasoningOf(sent: Answer, got: Answer): string | undefined {
  if (sameReasoning(sent.reasoning, got.reasoning)) return undefined;
  return differAt(sent.reasoning.join(''), got.reasoning.join(''));
}

function callsOf(sent: Answer, got: Answer, { to }: Pair): string | undefined {
  const hosted = new Set(sent.calls.filter(isHosted).map(({ name }) => name));
  const ours = (calls: readonly Call[]): readonly Call[] => calls.filter(({ name }) => !hosted.has(name));
  const expected = ours(sent.calls).filter((call) => !wholeOnly.has(to) || !isCut(call));
  const actual = ours(got.calls);
  if (expected.length !== actual.length) return differ(namesOf(expected), namesOf(actual));
  const at = expected.findIndex((call, number) => !sameCall(to, call, actual[number] as Call));
  return at < 0 ? undefined : differ(expected[at], actual[at]);
}

/** Dialects in which a call without an end cannot be said. */
const wholeOnly: ReadonlySet<string> = new Set(['gemini']);

function sameCall(to: string, sent: Call, got: Call): boolean {
  return sent.name === got.name && sameInput(to, sent, got) && sameId(to, sent, got);
}

function namesOf(calls: readonly Call[]): string[] {
  return calls.map(({ name }) => name);
}

function endOf(sent: Answer, got: Answer, pair: Pair): string | undefined {
  const { from, to, doneMarker } = pair;
  const calls = sent.calls.filter((call) => !isHosted(call));
  const expected = endsFor(to, from === to, { ...sent, calls }, doneMarker);
  const told = from !== to && hasFailed(pair.got) ? 'error' : got.end;
  return expected.includes(told)
    ? undefined
    : differ(`${expected.join(' or ')} (${sent.word})`, `${told} (${got.word})`);
}

/** Whether the upstream failed and said so: then calls, end and usage are no longer the question. */
function toldFailure({ from, to, sent }: Pair): boolean {
  if (from === to) return hasFailed(sent) && !stumbles(sent);
  return sent.fault?.reported === true || sent.answers[0].end === 'error';
}

/** The SDK falls over something behind the end, such as a `[DONE]` after `message_stop`; a relay may mend that. */
function stumbles({ fault, answers }: Read): boolean {
  return fault?.reported === false && answers[0].end !== undefined && answers[0].end !== 'error';
}

function failureOf(pair: Pair): string | undefined {
  const { from, to, sent, got } = pair;
  const shown = got.fault?.message ?? got.answers[0].end;
  if (toldFailure(pair)) return hasFailed(got) ? undefined : differ(sent.fault?.message ?? 'an error', 'none');
  if (from === to && stumbles(sent)) return got.fault?.reported === true ? differ('none', shown) : undefined;
  const neverEnded = sent.answers[0].end === undefined;
  return hasFailed(got) && !(from !== to && neverEnded) ? differ('none', shown) : undefined;
}

/** An answer that fails has no place for usage in most dialects. */
function usageOf(pair: Pair): string | undefined {
  const { from, to, sent, got } = pair;
  if (toldFailure(pair) || (from !== to && hasFailed(got))) return undefined;
  const some = sent.usage !== undefined && (sent.usage.input > 0 || sent.usage.output > 0);
  if (!some) return (got.usage?.input ?? 0) + (got.usage?.output ?? 0) === 0 ? undefined : differ('none', got.usage);
  if (got.usage === undefined || sent.usage === undefined) return differ(sent.usage, 'none');
  const inputs = inputsFor(to, from === to, sent.usage);
  const same =
    inputs.includes(got.usage.input) &&
    isDeepStrictEqual(detailsOf(got.usage), countersFor(to, from === to, sent.usage));
  return same ? undefined : differ(sent.usage, got.usage);
}

/** All but the input and the total, which is arithmetic; to a client a count that is not told is none. */
function detailsOf({ output, cached = 0, cacheWritten = 0, reasoning = 0 }: Tokens): object {
  return { output, cached, cacheWritten, reasoning };
}

/** The SDK's accumulator does not throw, and reads what was read chunk by chunk. */
function accumulatorOf(pair: Pair): string | undefined {
  if (toldFailure(pair) || hasFailed(pair.got)) return undefined;
  const { accumulated, answers } = pair.got;
  if ('failure' in accumulated) return mayThrow(pair) ? undefined : differ('no throw', accumulated.failure);
  if (pair.from === pair.to) return undefined;
  const { text, calls } = answers[0];
  if (accumulated.text !== text) return differAt(text, accumulated.text);
  const same = calls.length === accumulated.calls.length && calls.every(isIn(accumulated.calls));
  return same ? undefined : differ(calls, accumulated.calls);
}

/** Arguments that were cut off are repaired by each accumulator in its own way. */
function isIn(others: readonly AccumulatedCall[]): (call: Call, at: number) => boolean {
  return ({ id, name, input, custom }, at) => {
    const other = others[at] as AccumulatedCall;
    const same = id === other.id && name === other.name;
    return same && (isCut({ input, custom }) || isDeepStrictEqual(input, other.input));
  };
}

function isCut({ custom, input }: Pick<Call, 'custom' | 'input'>): boolean {
  return !custom && typeof input === 'string';
}

/** An accumulator may throw where it throws on the original, and at arguments that were cut off. */
function mayThrow({ from, to, sent }: Pair): boolean {
  if (from === to) return 'failure' in sent.accumulated;
  return sent.answers[0].end === undefined || (to === 'messages' && sent.answers[0].calls.some(isCut));
}

function differ(expected: unknown, got: unknown): string {
  return `expected ${short(expected)}, got ${short(got)}`;
}

function differAt(expected: string, got: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === got[at]) at++;
  const around = (text: string): string =>
    `${JSON.stringify(text.slice(Math.max(0, at - 10), at + 50))} of ${text.length}`;
  return `at ${at} expected ${around(expected)}, got ${around(got)}`;
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
