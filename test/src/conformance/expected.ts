/** What a client must see of a scene: the scene itself, less what a dialect cannot carry and what a client does not show. */
import { opened } from '../support/carried.ts';
import type { Client, Family, Seen } from '../support/clients/index.ts';
import { callsOf, joined, opaqueOf, type Scene, type WholeCall } from '../support/scenes.ts';

/** An answer as it must be understood. */
export interface Expected {
  /** The client throws this instead. */
  error: string | undefined;
  text: string;
  reasoning: string;
  signatures: readonly string[];
  refusal: string;
  citations: readonly string[];
  calls: readonly WholeCall[];
  finish: string | null | undefined;
  stopSequence: string | null;
  usage: Seen['usage'];
}

/** Where an answer is looked at. */
export interface Place {
  scene: Scene;
  client: Client;
  /** The dialect of the upstream. */
  from: string;
  /** Whether the client goes on by itself after a tool call. */
  looped: boolean;
}

/** One thing that a client sees otherwise than the scene says it, and why. */
interface Deviation {
  reason: string;
  from?: string | readonly string[];
  to?: string;
  /** Without what comes behind a comma in their names: stateless or not, whole or not. */
  clients?: readonly string[];
  whole?: boolean;
  scene?: string;
  change(expected: Expected, place: Place): Partial<Expected>;
}

type Word = Scene['stop'] | 'stop_sequence';

const words: Readonly<Record<Family, Readonly<Partial<Record<Word, string>>>>> = {
  openai: {
    stop: 'stop',
    length: 'length',
    tool_calls: 'tool_calls',
    refusal: 'stop',
    content_filter: 'content_filter',
    stop_sequence: 'stop',
  },
  responses: {
    stop: 'completed',
    length: 'incomplete max_output_tokens',
    tool_calls: 'completed',
    refusal: 'completed',
    content_filter: 'incomplete content_filter',
    stop_sequence: 'completed',
  },
  agents: {},
  google: {
    stop: 'STOP',
    length: 'MAX_TOKENS',
    tool_calls: 'STOP',
    refusal: 'SAFETY',
    content_filter: 'SAFETY',
    stop_sequence: 'STOP',
  },
  interactions: {
    stop: 'completed',
    length: 'incomplete',
    tool_calls: 'requires_action',
    refusal: 'failed',
    content_filter: 'failed',
    stop_sequence: 'completed',
  },
  anthropic: {
    stop: 'end_turn',
    length: 'max_tokens',
    tool_calls: 'tool_use',
    refusal: 'refusal',
    content_filter: 'refusal',
    stop_sequence: 'stop_sequence',
  },
  vercel: {
    stop: 'stop',
    length: 'length',
    tool_calls: 'tool-calls',
    refusal: 'content-filter',
    content_filter: 'content-filter',
    stop_sequence: 'stop',
  },
};

/** In order: what the upstream's dialect cannot say, what the client's cannot carry, what the client does not show. */
const deviations: readonly Deviation[] = [
  {
    reason: 'Gemini does not say which stop string was met.',
    from: 'gemini',
    change: ({ stopSequence, finish }, { client }) =>
      stopSequence === null ? { finish } : { finish: words[client.family].stop, stopSequence: null },
  },
  {
    reason: 'Gemini has no thinking behind a veil.',
    from: 'gemini',
    scene: 'redacted thinking',
    change: () => ({ signatures: [] }),
  },
  {
    reason: 'Gemini signs the text, which no thinking follows that could carry the signature.',
    from: 'gemini',
    scene: 'reasoning',
    change: ({ signatures }, { client }) => ({ signatures: client.dialect === 'gemini' ? signatures : [] }),
  },
  {
    reason: 'Gemini has no refusal text: what the model said is text, and the answer counts as filtered.',
    from: 'gemini',
    scene: 'refusal',
    change: ({ refusal }, { client }) => ({
      text: refusal,
      refusal: '',
      finish: words[client.family].content_filter,
      error: client.throws?.content_filter,
    }),
  },
  {
    reason: 'Gemini clients are not told which stop string was met, and read a refusal as text.',
    from: ['chat', 'messages', 'responses'],
    to: 'gemini',
    change: ({ text, refusal }, { from }) => ({
      stopSequence: null,
      text: from === 'messages' ? text : text + refusal,
      refusal: '',
    }),
  },
  {
    reason: 'LangChain keeps no text that is empty, whatever stands on it; no provider wants that back.',
    clients: ['langchain google'],
    from: ['messages', 'responses'],
    scene: 'redacted thinking',
    change: () => ({ signatures: [] }),
  },
  {
    reason: 'Interactions do not say which stop string was met.',
    from: 'interactions',
    change: ({ stopSequence, finish }, { client }) =>
      stopSequence === null ? { finish } : { finish: words[client.family].stop, stopSequence: null },
  },
  {
    reason: 'Interactions have no thinking behind a veil.',
    from: 'interactions',
    scene: 'redacted thinking',
    change: () => ({ signatures: [] }),
  },
  {
    reason: 'Interactions have no refusal text: what the model said is text, and the answer counts as filtered.',
    from: 'interactions',
    scene: 'refusal',
    change: ({ refusal }, { client }) => ({
      text: refusal,
      refusal: '',
      finish: words[client.family].content_filter,
      error: client.throws?.content_filter,
    }),
  },
  {
    reason: 'Clients of Interactions are not told which stop string was met, and read a refusal as text.',
    from: ['chat', 'messages', 'responses', 'gemini'],
    to: 'interactions',
    change: ({ text, refusal }, { from }) => ({
      stopSequence: null,
      text: from === 'messages' ? text : text + refusal,
      refusal: '',
    }),
  },
  {
    reason: 'Chat has no signed reasoning.',
    from: 'chat',
    change: () => ({ signatures: [] }),
  },
  {
    reason: 'Chat does not say which stop string was met, so that it reads as an ordinary stop.',
    from: 'chat',
    scene: 'stop sequence',
    change: (_, { client }) => ({ finish: words[client.family].stop, stopSequence: null }),
  },
  {
    reason: 'Chat clients carry signatures where none of them shows any, in the ids of calls.',
    to: 'chat',
    change: () => ({ signatures: [], stopSequence: null }),
  },
  {
    reason: 'A Messages refusal has no text of its own; in Chat it is a filtered answer that says why.',
    from: 'messages',
    to: 'chat',
    scene: 'refusal',
    change: ({ error }, { client }) => ({
      ...(client.family === 'openai' && { finish: 'content_filter' }),
      error: error ?? client.throws?.content_filter,
    }),
  },
  {
    reason: 'Messages has no refusal text: what the model said is text, and the stop reason calls it a refusal.',
    from: ['chat', 'responses'],
    to: 'messages',
    scene: 'refusal',
    change: ({ refusal }) => ({ text: refusal, refusal: '' }),
  },
  {
    reason: 'The AI SDK shows a refusal as text.',
    scene: 'refusal',
    clients: ['ai-sdk openai', 'ai-sdk openai-compatible', 'ai-sdk responses'],
    change: ({ text, refusal }) => ({ text: text + refusal, refusal: '' }),
  },
  {
    reason: 'The AI SDK reads an interaction that failed as an error, also one whose answer was withheld.',
    clients: ['ai-sdk interactions'],
    change: ({ finish }) => ({ finish: finish === words.vercel.refusal ? 'error' : finish }),
  },
  {
    reason: 'These do not show a refusal.',
    clients: ['ai-sdk anthropic', 'langchain openai', 'langchain anthropic'],
    change: () => ({ refusal: '' }),
  },
  {
    reason: 'OpenAI has no reasoning text in Chat: its provider in the AI SDK and its tool runner do not look for any.',
    clients: ['ai-sdk openai', 'openai runTools'],
    change: () => ({ reasoning: '' }),
  },
  {
    reason: 'The agents SDK reads `reasoning`, and this upstream streams `reasoning_content`, which is relayed.',
    from: 'chat',
    clients: ['agents chat'],
    whole: false,
    change: () => ({ reasoning: '' }),
  },
  {
    reason: 'The AI SDK has no member for the stop string.',
    clients: ['ai-sdk anthropic'],
    change: () => ({ stopSequence: null }),
  },
  {
    reason: 'These do not show sources.',
    clients: ['openai runTools', 'ai-sdk openai-compatible', 'langchain openai', 'agents chat', 'agents responses'],
    change: () => ({ citations: [] }),
  },
  {
    reason: 'LangChain makes a text of a whole message that holds nothing but text.',
    clients: ['langchain anthropic'],
    whole: true,
    change: () => ({ citations: [] }),
  },
  {
    reason: 'The AI SDK tells of a call when its item is done.',
    from: ['responses', 'interactions'],
    scene: 'interleaved tools',
    clients: ['ai-sdk responses', 'ai-sdk interactions'],
    whole: false,
    change: ({ calls }) => ({ calls: calls.toReversed() }),
  },
  {
    reason: 'The AI SDK asks for encrypted reasoning only where nothing may be stored.',
    from: 'responses',
    clients: ['ai-sdk responses'],
    change: ({ signatures }, { client }) => ({ signatures: client.name.includes('stateless') ? signatures : [] }),
  },
  {
    reason: 'The agents SDK keeps encrypted reasoning to itself.',
    clients: ['agents responses'],
    change: () => ({ signatures: [] }),
  },
  {
    reason: 'LangChain leaves encrypted reasoning out of a stream.',
    clients: ['langchain responses'],
    whole: false,
    change: () => ({ signatures: [] }),
  },
  {
    reason: 'A runner counts the tokens of all its turns; these count totals only.',
    clients: ['openai runTools', 'agents chat', 'agents responses'],
    change: ({ usage }, { looped }) => {
      const turns = looped ? 2 : 1;
      return { usage: { input: turns * (usage?.input ?? 0), output: turns * (usage?.output ?? 0) } };
    },
  },
  {
    reason: 'The AI SDK counts the tokens of all its turns.',
    clients: [
      'ai-sdk openai',
      'ai-sdk openai-compatible',
      'ai-sdk responses',
      'ai-sdk anthropic',
      'ai-sdk google',
      'ai-sdk interactions',
    ],
    change: ({ usage }, { looped }) => (looped ? { usage: doubled(usage) } : {}),
  },
  {
    reason: 'Its last message is what the tool runner keeps: the reasoning of the turn before is in the history only.',
    clients: ['anthropic toolRunner'],
    change: (_, { looped }) => (looped ? { reasoning: '', signatures: [] } : {}),
  },
  {
    reason: 'LangChain adds up the counters of message_start and message_delta, which are cumulative.',
    clients: ['langchain anthropic'],
    whole: false,
    change: () => ({ usage: undefined }),
  },
  {
    reason: 'LangChain leaves the tokens of thinking out of the output.',
    clients: ['langchain google'],
    change: ({ usage }) => {
      const { input = 0, output = 0, cached, reasoning = 0 } = usage ?? {};
      return { usage: { input, output: output - reasoning, ...(cached && { cached }) } };
    },
  },
  {
    reason: 'LangChain has no place for the signature of a text.',
    clients: ['langchain google'],
    scene: 'reasoning',
    change: () => ({ signatures: [] }),
  },
  {
    reason: 'LangChain does not count the tokens of thinking.',
    clients: ['langchain anthropic'],
    whole: true,
    change: ({ usage }) => ({ usage: { input: usage?.input, output: usage?.output, cached: usage?.cached } }),
  },
];

function doubled(usage: Seen['usage']): Seen['usage'] {
  const twice = Object.entries(usage ?? {}).map(([name, count]) => [name, 2 * (count ?? 0)]);
  return { input: 0, output: 0, ...Object.fromEntries(twice) };
}

/** What is to be seen at a place. */
export function expectedAt(place: Place): Expected {
  let expected = said(place);
  for (const deviation of deviations)
    if (applies(deviation, place)) expected = { ...expected, ...deviation.change(expected, place) };
  return expected;
}

function applies({ from, to, clients, whole, scene }: Deviation, place: Place): boolean {
  const [client = ''] = place.client.name.split(',');
  return (
    (whole ?? place.client.whole === true) === (place.client.whole === true) &&
    [from ?? place.from].flat().includes(place.from) &&
    (to ?? place.client.dialect) === place.client.dialect &&
    (scene ?? place.scene.name) === place.scene.name &&
    (clients?.includes(client) ?? true)
  );
}

function said({ scene, client, looped }: Place): Expected {
  const last = (looped ? scene.after : undefined) ?? scene;
  const word = last.stopSequence === undefined ? last.stop : 'stop_sequence';
  return {
    error: client.throws?.[last.stop],
    text: joined(scene, 'text') + (last === scene ? '' : joined(last, 'text')),
    reasoning: joined(scene, 'reasoning'),
    signatures: opaqueOf(scene),
    refusal: joined(scene, 'refusal'),
    citations: scene.pieces.flatMap((piece) => (piece.type === 'citation' ? piece.url : [])),
    calls: callsOf(scene),
    finish: words[client.family][word],
    stopSequence: scene.stopSequence ?? null,
    usage: { ...scene.tokens },
  };
}

/** What a client saw, in the form of what is expected. */
export function seenAs(seen: Seen, expected: Expected): Expected {
  return {
    error: seen.error?.name,
    text: seen.text,
    reasoning: seen.reasoning,
    signatures: [...new Set(seen.signatures.flatMap(opened))],
    refusal: seen.refusal,
    citations: seen.citations,
    calls: seen.calls.map(({ name, input }) => ({ name, input })),
    finish: seen.finish,
    stopSequence: seen.stopSequence ?? null,
    usage: countedAs(seen.usage, expected.usage),
  };
}

/** Only counters that are expected are looked at. */
function countedAs(usage: Seen['usage'], expected: Seen['usage']): Seen['usage'] {
  if (usage === undefined || expected === undefined) return expected && usage;
  const counters = Object.entries(usage).filter(([name]) => name in expected);
  return { input: undefined, output: undefined, ...Object.fromEntries(counters) };
}
