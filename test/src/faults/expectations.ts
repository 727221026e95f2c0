/** Whether a client got what a case expects: one comparison for each member of the expectation. */
import { isDeepStrictEqual } from 'node:util';
import { object } from '../support/json.ts';
import type { Call, Tokens } from '../support/reading/reading.ts';
import type { Expectation, ExpectedCall, ExpectedError } from './cases.ts';
import { details } from './details.ts';
import { exact, groups } from './errors.ts';
import { equal, type Finding, first, holds } from './finding.ts';
import type { Outcome } from './outcome.ts';

/** What a client has, and what it should have. */
export interface Comparison {
  expect: Expectation;
  got: Outcome;
  /** What the upstream's own client would have seen, where it speaks the client's dialect. */
  upstream: Outcome | undefined;
  /** Whether the client asked for no usage. */
  quiet: boolean;
}

type Compare = (comparison: Comparison) => Finding | undefined;

/** Every comparison by the name of what it looks at. */
export const expectations: Readonly<Record<string, Compare>> = {
  text: textOf,
  reasoning: ({ expect, got }) => equal(expect.reasoning, got.answer.reasoning.join('')),
  refusal: ({ expect, got }) =>
    expect.refusal === undefined || refusesInText.has(got.dialect)
      ? undefined
      : equal(expect.refusal, got.answer.refusal),
  tool_calls: callsOf,
  error: (comparison) => errorOf(comparison),
  finish: finishOf,
  usage: usageOf,
  choices: choicesOf,
  model: ({ expect, got }) =>
    expect.model === undefined ? undefined : equal([expect.model], [...new Set(details.models(got))]),
  stop_sequence: ({ expect, got }) =>
    expect.stop_sequence === undefined || got.dialect !== 'messages'
      ? undefined
      : equal(expect.stop_sequence, details.stopSequence(got)),
  signatures: ({ expect, got, upstream }) =>
    (got.dialect === 'messages' || got.dialect === 'interactions') && upstream !== undefined
      ? contains(expect.signatures, details.signatures(got))
      : undefined,
  encrypted: ({ expect, got }) =>
    got.dialect === 'responses' ? contains(expect.encrypted, details.encrypted(got)) : undefined,
  redacted: ({ expect, got }) =>
    expect.redacted === undefined || got.dialect !== 'messages'
      ? undefined
      : equal(expect.redacted, details.redacted(got)),
  images: ({ expect, got, upstream }) =>
    expect.images === undefined || !drawsPictures.has(got.dialect) || upstream === undefined
      ? undefined
      : equal(
          expect.images.map(({ data }) => data),
          picturesOf(got),
        ),
  annotations: annotationsOf,
};

/** Dialects whose answers hold pictures. */
const drawsPictures: ReadonlySet<string> = new Set(['responses', 'gemini', 'interactions']);

function picturesOf(got: Outcome): readonly unknown[] {
  if (got.dialect === 'interactions') return details.media(got);
  return got.dialect === 'gemini' ? details.inlineData(got) : details.images(got);
}

function contains(expected: Readonly<Record<string, string>> | undefined, got: readonly string[]): Finding | undefined {
  const missing = Object.values(expected ?? {}).find((value) => !got.includes(value));
  return missing === undefined ? undefined : { expected: missing, got };
}

/** Dialects that have no place for a refusal but the text. */
const refusesInText: ReadonlySet<string> = new Set(['messages', 'gemini', 'interactions']);

function textOf({ expect, got }: Comparison): Finding | undefined {
  const others = expect.text_or?.[got.dialect] ?? [];
  const asText = refusesInText.has(got.dialect) ? [expect.text + (expect.refusal ?? '')] : [];
  const { text } = got.answer;
  return holds([expect.text, ...others, ...asText].includes(text), expect.text, text);
}

function callsOf({ expect, got }: Comparison): Finding | undefined {
  if (isLeftOut(expect, got)) return undefined;
  const { calls } = got.answer;
  const named = equal(
    expect.tool_calls.map(({ name }) => name),
    calls.map(({ name }) => name),
  );
  return named ?? idsOf(expect.tool_calls, calls, got.dialect === 'gemini') ?? inputsOf(expect, calls);
}

/** Where calls go out whole only, one that has no end is left out. */
function isLeftOut({ tool_arguments_raw: raw }: Expectation, { dialect, answer }: Outcome): boolean {
  return dialect === 'gemini' && raw !== undefined && answer.calls.length < raw.length;
}

function idsOf(expected: readonly ExpectedCall[], calls: readonly Call[], optional: boolean): Finding | undefined {
  const ids = calls.map(({ id }) => id);
  const right = expected.every(({ id }, at) => (id === '*' ? optional || Boolean(ids[at]) : id === ids[at]));
  const told = ids.filter((id) => id !== undefined);
  return holds(right && new Set(told).size === told.length, expected, calls);
}

function inputsOf({ tool_calls, tool_arguments_raw: raw }: Expectation, calls: readonly Call[]): Finding | undefined {
  if (raw !== undefined)
    return equal(
      raw,
      calls.map(({ json }) => json),
    );
  return equal(
    tool_calls.map((call) => call.arguments),
    calls.map(({ input, custom }) => (custom ? { input } : input)),
  );
}

/** There is one where there should be, of the right class, before output where nothing came before it, and no success beside it. */
function errorOf({ expect, got }: Comparison): Finding | undefined {
  const expected = expect.error_for?.[got.dialect] ?? expect.error;
  if (expected === null) return holds(got.error === undefined || isLeftOut(expect, got), null, got.error);
  const { error, answer } = got;
  if (error === undefined) return { expected, got: answer.end ?? 'no ending' };
  const success = answer.end !== undefined && answer.end !== 'error';
  return (
    classesOf(expected, got) ??
    holds(error.message.includes(expected.message_contains ?? ''), expected.message_contains, error.message) ??
    holds(!success, 'an error and no success', answer.end) ??
    holds(expected.after_output !== false || !error.afterOutput, 'no output before the error', error)
  );
}

function classesOf({ type }: ExpectedError, { error, dialect }: Outcome): Finding | undefined {
  const got = error?.type ?? 'upstream_error';
  const must = exact[dialect]?.includes(type) === true;
  return holds(must ? got === type : groups[got] === groups[type as keyof typeof groups], type, got);
}

/** The words of each dialect for each finish; a word also stands for itself with a reason behind it. */
const words: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  chat: {
    stop: ['stop'],
    stop_sequence: ['stop'],
    length: ['length'],
    tool_calls: ['tool_calls'],
    content_filter: ['content_filter'],
    refusal: ['content_filter', 'stop'],
    pause: ['stop'],
  },
  messages: {
    stop: ['end_turn'],
    stop_sequence: ['stop_sequence'],
    length: ['max_tokens', 'model_context_window_exceeded'],
    tool_calls: ['tool_use'],
    content_filter: ['refusal'],
    refusal: ['refusal'],
    pause: ['pause_turn'],
  },
  gemini: {
    stop: ['STOP', 'OTHER'],
    stop_sequence: ['STOP'],
    length: ['MAX_TOKENS'],
    tool_calls: ['STOP'],
    content_filter: ['SAFETY'],
    refusal: ['SAFETY'],
    pause: ['STOP'],
  },
  interactions: {
    stop: ['completed'],
    stop_sequence: ['completed'],
    length: ['incomplete'],
    tool_calls: ['requires_action'],
    content_filter: ['failed'],
    refusal: ['failed'],
    pause: ['incomplete'],
  },
  responses: {
    stop: ['completed'],
    stop_sequence: ['completed'],
    length: ['incomplete: max_output_tokens'],
    tool_calls: ['completed'],
    content_filter: ['incomplete: content_filter'],
    refusal: ['completed', 'incomplete: content_filter'],
    pause: ['incomplete'],
  },
};

/** A relay keeps the upstream's own word, also `stop` beside calls. */
function finishOf({ expect, got, upstream }: Comparison): Finding | undefined {
  if (expect.finish === null || got.error !== undefined) return undefined;
  const { word, end } = got.answer;
  if (upstream !== undefined && expect.finish_raw !== undefined) return equal(expect.finish_raw, word);
  const kept = expect.finish === 'tool_calls' && upstream?.answer.end === 'stop' && upstream.answer.word === word;
  const right = words[got.dialect]?.[expect.finish] ?? [];
  const told = end !== undefined && right.some((known) => word === known || word?.startsWith(`${known}:`));
  return holds(told || kept, expect.finish, end === undefined ? 'no ending' : word);
}

/** The counters of the cases by ours; of the last three each may go unsaid where a dialect has no place for it. */
const counters = {
  input: 'input',
  output: 'output',
  cached_input: 'cached',
  cache_write_input: 'cacheWritten',
  reasoning: 'reasoning',
} as const;

function usageOf({ expect, got, upstream, quiet }: Comparison): Finding | undefined {
  const { usage } = got.reading;
  const expected = expect.usage;
  if (expect.error !== null || got.error !== undefined || quiet) return undefined;
  if (expected !== null && usage !== undefined && isDeepStrictEqual(usage, upstream?.reading.usage)) return undefined;
  const none = usage === undefined || (got.dialect === 'messages' && usage.input + usage.output === 0);
  if (expected === null) return holds(none, null, usage);
  // What the upstream never counted, the client may get as a placeholder or not at all.
  if (usage === undefined) return holds(!('output' in expected), expected, null);
  const wrong = Object.entries(expected).some(([name, count]) => !isTold(got.dialect, expected, usage, name, count));
  const sum = usage.total === undefined || usage.total === usage.input + usage.output;
  return holds(!wrong && sum, expected, usage);
}

function isTold(
  dialect: string,
  expected: Readonly<Record<string, number>>,
  usage: Tokens,
  name: string,
  count: number,
): boolean {
  const counter = counters[name as keyof typeof counters];
  const { input = 0, cached_input: cached = 0, cache_write_input: written = 0 } = expected;
  // Counters that exclude the cache cannot say that more was cached than read.
  if (dialect === 'messages' && cached + written > input && counter !== 'output') return true;
  const may = counter === 'cacheWritten' || (counter === 'reasoning' && dialect === 'messages') || count === 0;
  const must = counter === 'input' || counter === 'output' || !may;
  const told = usage[counter];
  return told === undefined ? !must : told === count;
}

function choicesOf({ expect, got }: Comparison): Finding | undefined {
  if (expect.choices === undefined || got.dialect !== 'chat') return undefined;
  const seen = got.reading.answers.map(({ text, word, calls }) => ({
    text,
    finish: word,
    tool_calls: calls.map(({ id, name, input }) => ({ id, name, arguments: input })),
  }));
  return first(
    expect.choices.map(({ index, tool_calls, ...choice }) => {
      const { tool_calls: calls, ...rest } = seen[index] ?? {};
      return equal(choice, rest) ?? (tool_calls === undefined ? undefined : equal(tool_calls, calls));
    }),
  );
}

function annotationsOf({ expect, got }: Comparison): Finding | undefined {
  const expected = expect.annotations;
  if (expected === undefined || (got.dialect !== 'chat' && got.dialect !== 'responses')) return undefined;
  const seen = details.annotations(got);
  const same = (annotation: object, at: number): boolean =>
    Object.entries(annotation).every(([name, value]) => isDeepStrictEqual(object(seen[at])[name], value));
  return holds(expected.length === seen.length && expected.every(same), expected, seen);
}
