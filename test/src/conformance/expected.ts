/** What a client must see of a scene: the scene itself, less what a dialect cannot carry and what a client does not show. */
import type { Client, Family, Seen } from '../support/clients/index.ts';
import { callsOf, joined, type Scene, SIGNATURE, type WholeCall } from '../support/scenes.ts';

/** An answer as it must be understood. */
export interface Expected {
  text: string;
  reasoning: string;
  signatures: readonly string[];
  refusal: string;
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
  from?: string;
  to?: string;
  clients?: readonly string[];
  scene?: string;
  change(expected: Expected, place: Place): Partial<Expected>;
}

type Word = Scene['stop'] | 'stop_sequence';

const words: Readonly<Record<Family, Readonly<Record<Word, string>>>> = {
  openai: { stop: 'stop', length: 'length', tool_calls: 'tool_calls', refusal: 'stop', stop_sequence: 'stop' },
  anthropic: {
    stop: 'end_turn',
    length: 'max_tokens',
    tool_calls: 'tool_use',
    refusal: 'refusal',
    stop_sequence: 'stop_sequence',
  },
  vercel: {
    stop: 'stop',
    length: 'length',
    tool_calls: 'tool-calls',
    refusal: 'content-filter',
    stop_sequence: 'stop',
  },
};

/** In order: what the upstream's dialect cannot say, what the client's cannot carry, what the client does not show. */
const deviations: readonly Deviation[] = [
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
    reason: 'Chat has no member for a signature that its clients send back.',
    to: 'chat',
    change: () => ({ signatures: [], stopSequence: null }),
  },
  {
    reason: 'A Messages refusal has no text of its own; in Chat it is a filtered answer that says why.',
    from: 'messages',
    to: 'chat',
    scene: 'refusal',
    change: (_, { client }) => (client.family === 'openai' ? { finish: 'content_filter' } : {}),
  },
  {
    reason: 'Messages has no refusal text: what the model said is text, and the stop reason calls it a refusal.',
    from: 'chat',
    to: 'messages',
    scene: 'refusal',
    change: ({ refusal }) => ({ text: refusal, refusal: '' }),
  },
  {
    reason: 'The AI SDK shows a Chat refusal as text.',
    to: 'chat',
    scene: 'refusal',
    clients: ['ai-sdk openai', 'ai-sdk openai-compatible'],
    change: ({ refusal }) => ({ text: refusal, refusal: '' }),
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
    reason: 'The AI SDK has no member for the stop string.',
    clients: ['ai-sdk anthropic'],
    change: () => ({ stopSequence: null }),
  },
  {
    reason: 'A runner counts the tokens of all its turns; this one counts totals only.',
    clients: ['openai runTools'],
    change: ({ usage }, { looped }) => {
      const turns = looped ? 2 : 1;
      return { usage: { input: turns * (usage?.input ?? 0), output: turns * (usage?.output ?? 0) } };
    },
  },
  {
    reason: 'The AI SDK counts the tokens of all its turns.',
    clients: ['ai-sdk openai', 'ai-sdk openai-compatible', 'ai-sdk anthropic'],
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
    change: () => ({ usage: undefined }),
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

function applies({ from, to, clients, scene }: Deviation, place: Place): boolean {
  return (
    (from ?? place.from) === place.from &&
    (to ?? place.client.dialect) === place.client.dialect &&
    (scene ?? place.scene.name) === place.scene.name &&
    (clients?.includes(place.client.name) ?? true)
  );
}

function said({ scene, client, looped }: Place): Expected {
  const last = (looped ? scene.after : undefined) ?? scene;
  const word = last.stopSequence === undefined ? last.stop : 'stop_sequence';
  return {
    text: joined(scene, 'text') + (last === scene ? '' : joined(last, 'text')),
    reasoning: joined(scene, 'reasoning'),
    signatures: scene.pieces.some((piece) => piece.type === 'signature') ? [SIGNATURE] : [],
    refusal: joined(scene, 'refusal'),
    calls: callsOf(scene),
    finish: words[client.family][word],
    stopSequence: scene.stopSequence ?? null,
    usage: { ...scene.tokens },
  };
}

/** What a client saw, in the form of what is expected. */
export function seenAs(seen: Seen, expected: Expected): Expected {
  return {
    text: seen.text,
    reasoning: seen.reasoning,
    signatures: seen.signatures,
    refusal: seen.refusal,
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
