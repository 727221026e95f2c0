/** Random answers as plans: what each choice says, block by block, before anybody decides in which order it is told. */
import type {
  BlockStart,
  CanonicalError,
  Citation,
  Delta,
  Finish,
  FinishReason,
  ResponseEnd,
  Usage,
} from '@streamglot/core';
import fc from 'fast-check';

/** One block to be told. */
export interface BlockPlan {
  kind: BlockStart['kind'];
  more: Partial<BlockStart>;
  deltas: readonly Delta[];
}

/** One candidate. */
export interface ChoicePlan {
  blocks: readonly BlockPlan[];
  finish: Omit<Finish, 'type' | 'choice'>;
}

/** One answer. */
export interface Plan {
  id: string | undefined;
  model: string | undefined;
  createdAt: number | undefined;
  choices: readonly ChoicePlan[];
  usage: Usage | undefined;
  /** Where usage stands: with the start, before the first finish, behind the last one. */
  counted: 'start' | 'before' | 'after';
  /** What comes next, by turns: a piece of an open block, another block, a finish. */
  turns: readonly number[];
  /** After how many events it breaks off, and with what; a whole answer does not. */
  broken: { after: number; error: CanonicalError } | undefined;
  status: ResponseEnd['status'];
}

/** Text with everything in it that framing, JSON or UTF-8 could trip over. */
const words: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'data: [DONE]\n\n',
      '\r\n\r\n',
      '"}]}',
      '\\',
      '\ud83d',
      '\ude00',
      '\u2028',
      '\u0000',
      '🏳️‍🌈',
      ' ',
      '</think>',
      '{"a":1}',
    ),
  },
);

/** Ids as all dialects allow them. */
const ids = fc.stringMatching(/^[a-zA-Z0-9_-]{1,24}$/);
const names = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,20}$/);
const count = fc.nat({ max: 1_000_000 });

const token = fc.record(
  {
    token: words,
    logprob: fc.double({ min: -20, max: 0, noNaN: true }).map((value) => value + 0),
    bytes: fc.array(fc.nat({ max: 255 }), { maxLength: 3 }),
  },
  { requiredKeys: ['token', 'logprob'] },
);
const logprob = fc.tuple(token, fc.array(token, { maxLength: 2 })).map(([first, top]) => ({ ...first, top }));

const citation: fc.Arbitrary<Citation> = fc.record(
  {
    kind: fc.constant('url' as const),
    url: fc.webUrl(),
    title: names,
    start: count,
    end: count,
    citedText: words,
  },
  { requiredKeys: ['kind', 'url'] },
);

const said: fc.Arbitrary<Delta> = words.map((text) => ({ type: 'text', text }));

const text: fc.Arbitrary<BlockPlan> = fc
  .tuple(
    fc.array(said, { maxLength: 5 }),
    fc.option(fc.array(logprob, { minLength: 1, maxLength: 2 })),
    fc.array(citation, { maxLength: 2 }),
  )
  .map(([deltas, logprobs, citations]) => ({
    kind: 'text',
    more: {},
    deltas: [
      ...deltas,
      ...(logprobs === null ? [] : [{ type: 'text' as const, text: 'sure', logprobs }]),
      ...(deltas.length === 0 ? [] : citations.map((citation) => ({ type: 'citation' as const, citation }))),
    ],
  }));

const refusal: fc.Arbitrary<BlockPlan> = fc
  .array(said, { minLength: 1, maxLength: 3 })
  .map((deltas) => ({ kind: 'refusal', more: {}, deltas }));

const reasoning: fc.Arbitrary<BlockPlan> = fc
  .record({
    form: fc.constantFrom('raw', 'summary'),
    parts: fc.array(fc.array(words, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
    signature: fc.option(ids),
  })
  .map(({ form, parts, signature }) => ({
    kind: 'reasoning',
    more: {},
    deltas: [
      ...parts.flatMap((pieces, part) =>
        pieces.map((text) => ({ type: 'reasoning' as const, text, form, ...(form === 'summary' && { part }) })),
      ),
      ...(signature === null ? [] : [{ type: 'signature' as const, value: signature, mode: 'set' as const }]),
    ],
  }));

/** The text in pieces; empty ones are among them. */
function cut(whole: string, at: readonly number[]): Delta[] {
  const cuts = [0, ...at.map((place) => place % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return cuts.slice(1).map((end, piece) => ({ type: 'input', text: whole.slice(cuts[piece], end) }));
}

const places = fc.array(fc.nat(), { maxLength: 4 });
const json = fc.oneof(
  fc.constant('{}'),
  fc.dictionary(names, fc.jsonValue(), { maxKeys: 4 }).map((o) => JSON.stringify(o)),
);

function callOf(format: 'json' | 'text', input: fc.Arbitrary<string>): fc.Arbitrary<BlockPlan> {
  const kind = format === 'json' ? 'function' : 'custom';
  const signature = format === 'json' ? fc.option(ids, { freq: 4 }) : fc.constant(null);
  return fc.tuple(names, ids, input, places, signature).map(([name, id, whole, at, value]) => ({
    kind: 'tool_call',
    more: { toolCall: { id, name, format, executor: 'client', kind } },
    deltas: [
      ...cut(whole, at),
      ...(value === null ? [] : [{ type: 'signature' as const, value, mode: 'set' as const }]),
    ],
  }));
}

const call = callOf('json', json);
const custom = callOf('text', words);

/** What its provider did by itself, and media: what not every dialect can tell. */
const foreign: fc.Arbitrary<BlockPlan> = fc.oneof(
  fc.tuple(names, ids, places).map(
    ([name, id, at]): BlockPlan => ({
      kind: 'tool_call',
      more: { toolCall: { id, name, format: 'json', executor: 'server', kind: 'web_search' } },
      deltas: cut('{"query":"q"}', at),
    }),
  ),
  ids.map(
    (callId): BlockPlan => ({
      kind: 'tool_result',
      more: { toolResult: { callId } },
      deltas: [{ type: 'output', value: [{ title: 'a result' }] }],
    }),
  ),
  fc.constant<BlockPlan>({
    kind: 'image',
    more: { media: { mimeType: 'image/png' } },
    deltas: [{ type: 'data', base64: 'AAAA' }],
  }),
  fc.constant<BlockPlan>({
    kind: 'item',
    more: { item: { type: 'a_novelty' } },
    deltas: [{ type: 'output', value: { type: 'a_novelty', of: 'its provider' } }],
  }),
);

const block = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: refusal },
  { weight: 2, arbitrary: reasoning },
  { weight: 4, arbitrary: call },
  { weight: 1, arbitrary: custom },
  { weight: 1, arbitrary: foreign },
);

const reasons: readonly FinishReason[] = [
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'refusal',
  'pause',
  'context_overflow',
  'compaction',
  'continue',
  'other',
  'error',
  'cancelled',
];

const finish: fc.Arbitrary<ChoicePlan['finish']> = fc.oneof(
  fc.constantFrom(...reasons).map((reason) => ({ reason })),
  names.map((stopSequence) => ({ reason: 'stop' as const, stopSequence })),
);

/** Ids of calls are unique in an answer, and an answer with calls says that it has some, unless it was cut off. */
const choice: fc.Arbitrary<ChoicePlan> = fc
  .record({ blocks: fc.array(block, { maxLength: 6 }), finish })
  .map(({ blocks, finish }) => ({
    blocks: blocks.map((plan, at) => renamed(finish.reason === 'length' ? torn(plan) : plan, at)),
    finish: hasCalls(blocks) && finish.reason === 'stop' ? { reason: 'tool_calls' } : finish,
  }));

/** A limit may be met in the middle of a call. */
function torn(plan: BlockPlan): BlockPlan {
  return plan.kind === 'tool_call' ? { ...plan, deltas: plan.deltas.slice(0, -1) } : plan;
}

function hasCalls(blocks: readonly BlockPlan[]): boolean {
  return blocks.some(({ more }) => more.toolCall?.executor === 'client');
}

function renamed(plan: BlockPlan, at: number): BlockPlan {
  const { toolCall } = plan.more;
  if (toolCall === undefined) return plan;
  return { ...plan, more: { ...plan.more, toolCall: { ...toolCall, id: `${toolCall.id}-${at}` } } };
}

const usage: fc.Arbitrary<Usage> = fc
  .record({ input: count, output: count, cached: fc.option(count), thought: fc.option(count) })
  .map(({ input, output, cached, thought }) => {
    const inputTokens = input + (cached ?? 0);
    const outputTokens = output + (thought ?? 0);
    return {
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      ...(cached !== null && { inputTokensDetails: { cacheRead: cached } }),
      ...(thought !== null && { outputTokensDetails: { reasoning: thought } }),
    };
  });

const error: fc.Arbitrary<CanonicalError> = fc.record({
  type: fc.constantFrom('overloaded', 'rate_limit', 'api_error', 'timeout', 'invalid_request', 'upstream'),
  message: fc.stringMatching(/^[A-Z][a-z ]{0,20}$/),
});

const candidates: fc.Arbitrary<ChoicePlan[]> = fc.oneof(
  { weight: 3, arbitrary: fc.array(choice, { minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.array(choice, { minLength: 2, maxLength: 3 }) },
);

/** Not every dialect shows another candidate than the first, so only that one is ever given up. */
function settled(choices: readonly ChoicePlan[]): ChoicePlan[] {
  const isGivenUp = ({ finish }: ChoicePlan): boolean => finish.reason === 'error' || finish.reason === 'cancelled';
  return choices.map((choice, at) =>
    at > 0 && isGivenUp(choice) ? { ...choice, finish: { reason: 'length' } } : choice,
  );
}

/** Any answer, whole or broken off. */
export const plans: fc.Arbitrary<Plan> = fc.record({
  id: fc.option(ids, { nil: undefined }),
  model: fc.option(names, { nil: undefined }),
  createdAt: fc.option(fc.integer({ min: 1, max: 2_000_000_000 }), { nil: undefined }),
  choices: candidates.map(settled),
  usage: fc.option(usage, { nil: undefined }),
  counted: fc.constantFrom('start', 'before', 'after'),
  turns: fc.array(fc.nat(), { minLength: 1, maxLength: 30 }),
  broken: fc.option(fc.record({ after: fc.nat({ max: 40 }), error }), { nil: undefined, freq: 4 }),
  status: fc.oneof(
    { weight: 8, arbitrary: fc.constant('completed') },
    { weight: 1, arbitrary: fc.constantFrom('incomplete', 'failed', 'cancelled') },
  ),
});
