/** What an upstream says, as data of no dialect: each wire writes a scene as a real provider would. */

/** One piece of an answer, in the order in which a model would produce it. */
export type Piece =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'signature'; value: string }
  | { type: 'redacted'; data: string }
  | { type: 'refusal'; text: string }
  | { type: 'citation'; url: string; title: string; start: number; end: number }
  | { type: 'call'; call: number; name: string; custom?: true }
  | { type: 'input'; call: number; text: string };

/** Why the model stopped. */
export type Stop = 'stop' | 'length' | 'tool_calls' | 'refusal' | 'content_filter';

/** Tokens counted inclusively: `input` holds the cached ones, `output` the reasoning. */
export interface Tokens {
  input: number;
  cached: number;
  output: number;
  reasoning: number;
}

/**
 * How the bytes end: as they should; with an error event; with an orderly end of the body too early (`cut`); with a FIN
 * inside the body (`torn`); with an RST; or not at all.
 */
export type Ending = 'whole' | 'error' | 'cut' | 'torn' | 'reset' | 'hang';

/** An answer that comes as an HTTP error. */
export interface Refused {
  status: number;
  message: string;
  retryAfter?: number;
}

/** One scripted answer. */
export interface Scene {
  readonly name: string;
  readonly pieces: readonly Piece[];
  readonly stop: Stop;
  /** The stop string that was met. */
  readonly stopSequence?: string;
  readonly tokens: Tokens;
  readonly ending: Ending;
  /** The body goes out one byte a write. */
  readonly oneByte?: boolean;
  /** Nothing comes, not even a head. */
  readonly mute?: true;
  /** Waited for before each frame, by its number; `skip` leaves the frame out. */
  readonly before?: (frame: number) => Promise<'send' | 'skip'>;
  /** Said instead once the request holds a tool's result. */
  readonly after?: Scene;
  readonly refused?: Refused;
  /** Said only to who asks for an answer in a form; all others get prose. */
  readonly structured?: true;
}

const TOKENS: Tokens = { input: 21, cached: 4, output: 9, reasoning: 3 };

function scene(name: string, pieces: readonly Piece[], more: Partial<Scene> = {}): Scene {
  return { name, pieces, stop: 'stop', tokens: TOKENS, ending: 'whole', ...more };
}

function text(...pieces: readonly string[]): Piece[] {
  return pieces.map((piece) => ({ type: 'text', text: piece }));
}

function call(number: number, ...fragments: readonly string[]): Piece[] {
  return [{ type: 'call', call: number, name: TOOL }, ...inputs(number, fragments)];
}

function inputs(call: number, fragments: readonly string[]): Piece[] {
  return fragments.map((text) => ({ type: 'input', call, text }));
}

/** The one tool that clients offer. */
export const TOOL = 'get_weather';

/** The tool with free-form input that clients offer where they can. */
export const CUSTOM_TOOL = 'run_code';

/** What a provider says of thinking that it does not show. */
const REDACTED = 'EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3==';

/** The source that the cited text names. */
const SOURCE = { url: 'https://weather.example/koeln?unit=celsius', title: 'Weather in Köln' };

/** A signature as long and as odd as real ones: base64 with padding. */
export const SIGNATURE = 'EqQBCkYIBxgCKkA3+hT1/Zp0b2tlbg==';

const thought: readonly Piece[] = [
  { type: 'reasoning', text: 'The user wants' },
  { type: 'reasoning', text: ' the weather — ' },
  { type: 'reasoning', text: 'so: be brief.' },
  { type: 'signature', value: SIGNATURE },
];
const cologne = call(0, '{"city": "Kö', 'ln", ', '"unit": "cel', 'sius"}');
const tokyo = call(1, '{"city":', '"東京","unit":', '"celsius"}');
const half = text('The answer', ' begins');

/** One fragment of each call by turns, as servers send that sample calls at the same time. */
function interleaved(first: readonly Piece[], second: readonly Piece[]): Piece[] {
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, at) => [first[at], second[at]])
    .flat()
    .filter((piece) => piece !== undefined);
}

const settled = scene('after the tools', text('18 degrees in both,', ' says the tool.'));

/** Every scene by its name, which is also the name of the model that plays it. */
export const scenes = {
  text: scene('text', text('Hello', ', ', 'wörld', ' and "quotes"', '\n', 'end.')),
  'multi-byte text in one-byte writes': scene(
    'multi-byte text in one-byte writes',
    text('Grüße aus Köln', ' – 東京', ', नमस्ते', ' 🙂🏳️‍🌈', ' \u2028 end'),
    { oneByte: true },
  ),
  tool: scene('tool', cologne, { stop: 'tool_calls' }),
  'tool without input': scene('tool without input', call(0, '{}'), { stop: 'tool_calls' }),
  'text and a tool': scene('text and a tool', [...text('Let me', ' look.'), ...cologne], { stop: 'tool_calls' }),
  'parallel tools': scene('parallel tools', [...cologne, ...tokyo], { stop: 'tool_calls' }),
  'interleaved tools': scene('interleaved tools', interleaved(cologne, tokyo), { stop: 'tool_calls' }),
  reasoning: scene('reasoning', [...thought, ...text('It is', ' sunny.')]),
  length: scene('length', half, { stop: 'length' }),
  refusal: scene(
    'refusal',
    [
      { type: 'refusal', text: 'That is not' },
      { type: 'refusal', text: ' allowed.' },
    ],
    {
      stop: 'refusal',
    },
  ),
  'content filter': scene('content filter', half, { stop: 'content_filter' }),
  citations: scene('citations', [...text('It is ', '18 degrees.'), { type: 'citation', ...SOURCE, start: 6, end: 17 }]),
  'redacted thinking': scene('redacted thinking', [{ type: 'redacted', data: REDACTED }, ...text('It is', ' sunny.')]),
  'custom tool': scene(
    'custom tool',
    [
      ...text('I run it.'),
      { type: 'call', call: 0, name: CUSTOM_TOOL, custom: true },
      ...inputs(0, ['print("K', 'öln")\n', '# 🙂 \\ end']),
    ],
    { stop: 'tool_calls' },
  ),
  structured: scene(
    'structured',
    text('{"city":"Kö', 'ln","degrees":', '18,"notes":["a \\"q', '\\" 🙂","",', '"b"]}'),
    { structured: true },
  ),
  'stop sequence': scene('stop sequence', half, { stopSequence: 'END' }),
  'two-turn tool loop': scene('two-turn tool loop', [...text('Looking.'), ...cologne, ...tokyo], {
    stop: 'tool_calls',
    after: settled,
  }),
  'two-turn tool loop with reasoning': scene('two-turn tool loop with reasoning', [...thought, ...cologne], {
    stop: 'tool_calls',
    after: settled,
  }),
  'error mid-stream': scene('error mid-stream', half, { ending: 'error' }),
  'upstream cut': scene('upstream cut', half, { ending: 'cut' }),
  'upstream cut inside the body': scene('upstream cut inside the body', half, { ending: 'torn' }),
  'upstream cut inside a tool': scene('upstream cut inside a tool', cologne.slice(0, 3), { ending: 'cut' }),
  'upstream reset': scene('upstream reset', half, { ending: 'reset' }),
  hang: scene('hang', half, { ending: 'hang' }),
  'rate limit': scene('rate limit', [], { refused: { status: 429, message: 'Slow down.', retryAfter: 7 } }),
  'bad key': scene('bad key', [], { refused: { status: 401, message: 'The key is wrong.' } }),
} as const satisfies Record<string, Scene>;

/** The name of a scene. */
export type SceneName = keyof typeof scenes;

/** A call as a client should see it, whole. */
export interface WholeCall {
  name: string;
  input: unknown;
}

/** The pieces of one kind in one string. */
export function joined(scene: Scene, type: 'text' | 'reasoning' | 'refusal'): string {
  return scene.pieces.map((piece) => (piece.type === type ? piece.text : '')).join('');
}

/** The calls of a scene, in the order in which they begin. */
export function callsOf(scene: Scene): WholeCall[] {
  const begun = scene.pieces.filter((piece) => piece.type === 'call');
  return begun.map(({ call, name, custom }) => {
    const input = inputOf(scene, call);
    return { name, input: custom ? input : JSON.parse(input) };
  });
}

/** The argument text of one call. */
export function inputOf(scene: Scene, call: number): string {
  return scene.pieces.map((piece) => (piece.type === 'input' && piece.call === call ? piece.text : '')).join('');
}

/** The opaque parts of a scene's thinking: signatures, and what stands for thinking that is not shown. */
export function opaqueOf({ pieces }: Scene): string[] {
  return pieces.flatMap((piece) =>
    piece.type === 'signature' ? piece.value : piece.type === 'redacted' ? piece.data : [],
  );
}
