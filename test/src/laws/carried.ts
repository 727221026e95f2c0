/** What each dialect can carry of an answer in normal form: the one table of what is lost on purpose. */
import type {
  BlockStart,
  CanonicalEvent,
  Citation,
  Delta,
  Finish,
  FinishReason,
  TokenLogprob,
  Usage,
} from '@streamglot/core';

/** A block with all that was said in it. */
interface Whole {
  start: BlockStart;
  deltas: readonly Delta[];
}

/** What is left of an answer in one dialect. */
interface Carrier {
  /** The block as the dialect tells it; nothing where it has no place for it. */
  block(whole: Whole): Whole | undefined;
  /** Kinds that are one run of the choice, however many blocks there were; in this order. */
  runs: readonly BlockStart['kind'][];
  finish(finish: Finish, blocks: readonly Whole[], isIncomplete: boolean): Finish;
  /** Whether other candidates than the first are shown. */
  candidates: boolean;
  createdAt: boolean;
  usage(usage: Usage | undefined): Usage | undefined;
  /** Members of the start that the dialect always fills. */
  head?: Readonly<Record<string, unknown>>;
}

const finishInChat: Readonly<Partial<Record<FinishReason, FinishReason>>> = {
  refusal: 'content_filter',
  pause: 'stop',
  context_overflow: 'length',
  compaction: 'stop',
  continue: 'length',
  other: 'stop',
};

const finishInGemini: Readonly<Partial<Record<FinishReason, FinishReason>>> = {
  refusal: 'content_filter',
  pause: 'stop',
  context_overflow: 'length',
  compaction: 'stop',
  continue: 'length',
};

const finishInInteractions: Readonly<Partial<Record<FinishReason, FinishReason>>> = {
  pause: 'length',
  context_overflow: 'length',
  compaction: 'stop',
  continue: 'length',
  other: 'stop',
};

const finishInMessages: Readonly<Partial<Record<FinishReason, FinishReason>>> = {
  content_filter: 'refusal',
  compaction: 'stop',
  continue: 'length',
  other: 'stop',
};

const finishInResponses: Readonly<Partial<Record<FinishReason, FinishReason>>> = {
  length: 'length',
  content_filter: 'content_filter',
  pause: 'pause',
  context_overflow: 'length',
  continue: 'length',
};

const carriers: Readonly<Record<string, Carrier>> = {
  chat: {
    candidates: true,
    createdAt: true,
    usage: (usage) => usage,
    runs: ['reasoning', 'text', 'refusal'],
    block: ({ start, deltas }) => {
      if (start.kind === 'reasoning') return { start, deltas: thoughts(deltas) };
      if (start.kind === 'tool_call') return start.toolCall?.executor === 'client' ? wrapped(start, deltas) : undefined;
      return spoken.has(start.kind)
        ? { start, deltas: deltas.map(cited(['url', 'title', 'start', 'end'])) }
        : undefined;
    },
    finish: ({ stopSequence: _, reason, ...finish }, blocks) => {
      const has = (kind: BlockStart['kind']) => blocks.some(({ start }) => start.kind === kind);
      const plain = reason === 'refusal' && has('refusal') ? 'stop' : (finishInChat[reason] ?? reason);
      if (plain === 'tool_calls' || plain === 'stop')
        return {
          ...finish,
          reason: has('tool_call') ? 'tool_calls' : has('refusal') && !has('text') ? 'refusal' : 'stop',
        };
      return { ...finish, reason: plain };
    },
  },
  responses: {
    candidates: false,
    createdAt: true,
    head: { serviceTier: 'default' },
    usage: (usage) =>
      usage && {
        ...usage,
        inputTokensDetails: { cacheRead: 0, cacheWrite: 0, ...usage.inputTokensDetails },
        outputTokensDetails: { reasoning: 0, ...usage.outputTokensDetails },
      },
    runs: ['reasoning', 'text', 'refusal'],
    block: ({ start, deltas }) => {
      if (start.kind === 'reasoning') return { start, deltas: thoughts(deltas) };
      if (start.kind === 'tool_call')
        return start.toolCall?.executor === 'client' ? { start, deltas: unsigned(deltas) } : undefined;
      if (!spoken.has(start.kind)) return undefined;
      return { start, deltas: deltas.map(cited(['url', 'title', 'start', 'end'])).map(counted) };
    },
    finish: ({ stopSequence: _, reason, ...finish }, blocks, isIncomplete) => {
      const has = (kind: BlockStart['kind']) => blocks.some(({ start }) => start.kind === kind);
      if (reason === 'refusal' && !has('refusal')) return { ...finish, reason: 'content_filter' };
      const cut = finishInResponses[reason] ?? (isIncomplete ? 'length' : undefined);
      return { ...finish, reason: cut ?? (has('tool_call') ? 'tool_calls' : has('refusal') ? 'refusal' : 'stop') };
    },
  },
  gemini: {
    candidates: true,
    createdAt: false,
    usage: (usage) => usage,
    runs: ['reasoning', 'text'],
    block: ({ start, deltas }) => {
      if (start.kind === 'reasoning') return { start, deltas: thoughts(deltas) };
      if (start.kind === 'tool_call')
        return start.toolCall?.executor === 'client' && isWhole(start, deltas)
          ? wrapped(start, unsigned(deltas))
          : undefined;
      if (!spoken.has(start.kind)) return undefined;
      return { start: { ...start, kind: 'text' }, deltas: deltas.map(cited(['url', 'title'])).map(byteless) };
    },
    finish: ({ stopSequence: _, reason, ...finish }, blocks) => {
      const plain = finishInGemini[reason] ?? reason;
      if (plain !== 'stop' && plain !== 'tool_calls') return { ...finish, reason: plain };
      return { ...finish, reason: blocks.some(({ start }) => start.kind === 'tool_call') ? 'tool_calls' : 'stop' };
    },
  },
  interactions: {
    candidates: false,
    createdAt: true,
    usage: (usage) =>
      usage && {
        ...usage,
        inputTokensDetails: { cacheRead: 0, toolUse: 0, ...usage.inputTokensDetails },
        outputTokensDetails: { reasoning: 0, ...usage.outputTokensDetails },
      },
    runs: ['reasoning', 'text'],
    block: ({ start, deltas }) => {
      if (start.kind === 'reasoning') return { start, deltas: thoughts(deltas) };
      if (start.kind === 'tool_call')
        return start.toolCall?.executor === 'client' ? wrapped(start, unsigned(deltas)) : undefined;
      if (!spoken.has(start.kind)) return undefined;
      const words = deltas.map((delta) =>
        delta.type === 'text' ? { type: 'text' as const, text: delta.text } : delta,
      );
      return { start: { ...start, kind: 'text' }, deltas: words.map(cited(['url', 'title'])) };
    },
    finish: ({ stopSequence: _, reason, ...finish }, blocks) => {
      const plain = finishInInteractions[reason] ?? reason;
      if (plain !== 'stop' && plain !== 'tool_calls') return { ...finish, reason: plain };
      return { ...finish, reason: blocks.some(({ start }) => start.kind === 'tool_call') ? 'tool_calls' : 'stop' };
    },
  },
  messages: {
    candidates: false,
    createdAt: false,
    usage: (usage) => ({
      inputTokens: 0,
      outputTokens: 0,
      totalTokens: 0,
      ...usage,
      inputTokensDetails: { cacheRead: 0, cacheWrite: 0, ...usage?.inputTokensDetails },
    }),
    runs: ['reasoning', 'text'],
    block: ({ start, deltas }) => {
      if (start.kind === 'reasoning') return { start, deltas: thoughts(deltas) };
      if (start.kind === 'tool_call')
        return start.toolCall?.executor === 'client' ? wrapped(start, unsigned(deltas)) : undefined;
      if (!spoken.has(start.kind)) return undefined;
      const words = deltas.map((delta) =>
        delta.type === 'text' ? { type: 'text' as const, text: delta.text } : delta,
      );
      return { start: { ...start, kind: 'text' }, deltas: words.map(cited(['url', 'title', 'citedText'])) };
    },
    finish: ({ stopSequence, reason, ...finish }, blocks) => {
      const has = (kind: BlockStart['kind']) => blocks.some(({ start }) => start.kind === kind);
      if (reason === 'tool_calls' && !has('tool_call')) return { ...finish, reason: 'stop' };
      const plain = finishInMessages[reason] ?? reason;
      return {
        ...finish,
        reason: plain === 'stop' && stopSequence === undefined && has('tool_call') ? 'tool_calls' : plain,
        ...(stopSequence !== undefined && { stopSequence }),
      };
    },
  },
};

/** Tokens as Responses has them: with a list of bytes, and with others only where there are some. */
function counted(delta: Delta): Delta {
  if (delta.type !== 'text' || delta.logprobs === undefined) return delta;
  const bare = ({ token, logprob, bytes }: TokenLogprob): TokenLogprob => ({ token, logprob, bytes: bytes ?? [] });
  const logprobs = delta.logprobs.map((entry) => {
    const top = (entry.top ?? []).map(bare);
    return { ...bare(entry), ...(top.length > 0 && { top }) };
  });
  return { ...delta, logprobs };
}

/** Whether arguments are a whole object: others have no place where they go out as one. */
function isWhole({ toolCall }: BlockStart, deltas: readonly Delta[]): boolean {
  const input = deltas.map((delta) => (delta.type === 'input' ? delta.text : '')).join('');
  if (toolCall?.format === 'text' || input.trim() === '') return true;
  try {
    JSON.parse(input);
    return true;
  } catch {
    return false;
  }
}

/** Tokens as Gemini has them: without their bytes. */
function byteless(delta: Delta): Delta {
  if (delta.type !== 'text' || delta.logprobs === undefined) return delta;
  const bare = ({ token, logprob }: TokenLogprob): TokenLogprob => ({ token, logprob });
  return { ...delta, logprobs: delta.logprobs.map((entry) => ({ ...bare(entry), top: (entry.top ?? []).map(bare) })) };
}

const spoken: ReadonlySet<BlockStart['kind']> = new Set(['text', 'refusal']);

/** Parts of a summary are divided by a blank line; a signature of another provider is worth nothing. */
function thoughts(deltas: readonly Delta[]): Delta[] {
  const texts = deltas.flatMap((delta) => (delta.type === 'reasoning' ? [delta.text] : []));
  return texts.length === 0 ? [] : [{ type: 'reasoning', text: texts.join('\n\n'), form: 'raw' }];
}

/** Only its own provider can read the signature of a call; Chat has a member for it all the same. */
function unsigned(deltas: readonly Delta[]): Delta[] {
  return deltas.filter(({ type }) => type !== 'signature');
}

/** Free text travels as the one member of an object. */
function wrapped(start: BlockStart, deltas: readonly Delta[]): Whole {
  const { toolCall } = start;
  const input = deltas.map((delta) => (delta.type === 'input' ? delta.text : '')).join('');
  if (toolCall?.format !== 'text')
    return {
      start,
      deltas: input.startsWith('{"input":')
        ? [respelt(input), ...deltas.filter(({ type }) => type !== 'input')]
        : deltas,
    };
  const call = { ...toolCall, format: 'json' as const, kind: 'function' };
  return { start: { ...start, toolCall: call }, deltas: [{ type: 'input', text: JSON.stringify({ input }) }] };
}

/** JSON has two ways to write a character that came in two pieces. */
function respelt(input: string): Delta {
  try {
    return { type: 'input', text: JSON.stringify(JSON.parse(input)) };
  } catch {
    return { type: 'input', text: input };
  }
}

/** A citation by the members that the dialect has; those that it always has are filled. */
function cited(members: readonly (keyof Citation)[]): (delta: Delta) => Delta {
  const filled: Readonly<Partial<Record<keyof Citation, (citation: Citation) => unknown>>> = {
    title: ({ url }) => url,
    start: () => 0,
    end: () => 0,
  };
  return (delta) => {
    if (delta.type !== 'citation') return delta;
    const { citation } = delta;
    const known = members.map((member) => [member, citation[member] ?? filled[member]?.(citation)] as const);
    return {
      type: 'citation',
      citation: { kind: 'url', ...Object.fromEntries(known.filter(([, value]) => value !== undefined)) },
    };
  };
}

/** What a client of the dialect can know of an answer in normal form. */
export function carried(dialect: string, events: readonly CanonicalEvent[]): unknown {
  const carrier = carriers[dialect];
  if (carrier === undefined) throw new Error(`nobody knows what ${dialect} carries: add it to carried.ts`);
  const shown = wholes(events).filter(({ start }) => carrier.candidates || start.choice === 0);
  const blocks = shown.flatMap((whole) => carrier.block(whole) ?? []);
  const of = (choice: number) => blocks.filter(({ start }) => start.choice === choice);
  const finishes = events
    .filter((event) => event.type === 'finish')
    .filter(({ choice }) => carrier.candidates || choice === 0);
  const isIncomplete = events.some((event) => event.type === 'response-end' && event.status === 'incomplete');
  const { usage } = events.find((event) => event.type === 'usage') ?? {};
  return {
    start: headOf(carrier, events),
    choices: finishes.map((finish) => ({
      runs: carrier.runs.map((kind) => run(of(finish.choice).filter(({ start }) => start.kind === kind))),
      calls: of(finish.choice)
        .filter(({ start }) => start.kind === 'tool_call')
        .map(({ start: { block: _, ...start }, deltas }) => ({ start, deltas })),
      finish: carrier.finish(finish, of(finish.choice), isIncomplete),
    })),
    usage: carrier.usage(usage),
    ending: events.at(-1)?.type,
  };
}

function headOf(carrier: Carrier, events: readonly CanonicalEvent[]): unknown {
  const start = events.find((event) => event.type === 'response-start');
  const { type: _, createdAt, model = 'unknown', ...head } = start ?? { type: 'response-start' };
  return { ...carrier.head, ...head, model, ...(carrier.createdAt && createdAt !== undefined && { createdAt }) };
}

/** One run of several blocks: its text, and what stands beside it. */
function run(blocks: readonly Whole[]): unknown {
  const deltas = blocks.flatMap(({ deltas }) => deltas);
  return {
    text: deltas.map((delta) => ('text' in delta ? delta.text : '')).join(''),
    logprobs: deltas.flatMap((delta) => (delta.type === 'text' ? (delta.logprobs ?? []) : [])),
    citations: deltas.flatMap((delta) => (delta.type === 'citation' ? [delta.citation] : [])),
  };
}

function wholes(events: readonly CanonicalEvent[]): Whole[] {
  return events
    .filter((event) => event.type === 'block-start')
    .map((start) => ({
      start,
      deltas: events.flatMap((event) =>
        event.type === 'block-delta' && event.block === start.block ? [event.delta] : [],
      ),
    }));
}
