/** Gemini as its provider writes it: each chunk an answer of its own, calls whole, usage with every chunk. */

import { parsed } from '../json.ts';
import { joined, type Piece, type Refused, type Scene, type Stop, type Tokens } from '../scenes.ts';
import { type Asked, type Look, list, object, type Wire } from './wire.ts';

const wordOf: Readonly<Record<Stop, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  refusal: 'SAFETY',
  content_filter: 'SAFETY',
};

type Part = Record<string, unknown>;

/** The parts of a scene; a signature stands on the call that follows the thought, or on the text. */
function partsOf(scene: Scene): Part[] {
  const parts: Part[] = [];
  let signature: string | undefined;
  const sign = (): Part => {
    const signed = signature === undefined ? {} : { thoughtSignature: signature };
    signature = undefined;
    return signed;
  };
  for (const piece of scene.pieces) {
    if (piece.type === 'text' || piece.type === 'refusal') parts.push({ text: piece.text, ...sign() });
    else if (piece.type === 'reasoning') parts.push({ text: piece.text, thought: true });
    else if (piece.type === 'signature') signature = piece.value;
    else if (piece.type === 'call') parts.push({ functionCall: callOf(scene, piece), ...sign() });
  }
  return parts;
}

function callOf(scene: Scene, { call, name, custom }: Piece & { type: 'call' }): Part {
  const pieces = scene.pieces.map((piece) => (piece.type === 'input' && piece.call === call ? piece.text : ''));
  const input = pieces.join('');
  return { id: callId(call), name, args: custom === true ? { input } : (parsed(input) ?? {}) };
}

function callId(call: number): string {
  return `fc-9k${call}`;
}

/** Calls that the bytes stop inside of never come, for they come whole. */
function isCut({ ending, pieces }: Scene): boolean {
  return ending !== 'whole' && pieces.some(({ type }) => type === 'call');
}

function usageOf({ input, cached, output, reasoning }: Tokens): Part {
  return {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: input + output,
    cachedContentTokenCount: cached,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
    thoughtsTokenCount: reasoning,
  };
}

function groundingOf(scene: Scene): Part {
  const cited = scene.pieces.filter((piece) => piece.type === 'citation');
  if (cited.length === 0) return {};
  const text = joined(scene, 'text');
  const bytes = (end: number): number => Buffer.byteLength(text.slice(0, end));
  return {
    groundingMetadata: {
      groundingChunks: cited.map(({ url, title }) => ({ web: { uri: url, title } })),
      groundingSupports: cited.map(({ start, end }, at) => ({
        segment: { startIndex: bytes(start), endIndex: bytes(end), text: text.slice(start, end) },
        groundingChunkIndices: [at],
      })),
    },
  };
}

/** One chunk, its members in the order of the provider. */
function chunkOf(parts: readonly Part[], usage: Part, { body }: Asked, more: Part = {}): Part {
  const candidate = { content: { parts, role: 'model' }, ...more, index: 0 };
  return { candidates: [candidate], usageMetadata: usage, modelVersion: body.model ?? 'a-model', responseId: 'q7Zr' };
}

/** The provider escapes the two line ends of JavaScript, over which one of its SDKs stumbles. */
const frameOf = (payload: Part): string =>
  `data: ${JSON.stringify(payload).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n\n`;

function write(scene: Scene, asked: Asked): string[] {
  const { input } = scene.tokens;
  const early = { promptTokenCount: input, totalTokenCount: input };
  const said = isCut(scene) ? [] : partsOf(scene);
  const frames = (said.length > 0 ? said : [{ text: '' }]).map((part) => frameOf(chunkOf([part], early, asked)));
  if (scene.ending === 'error') frames.push(frameOf(refuse({ status: 503, message: 'Overloaded' }) as Part));
  if (scene.ending === 'whole') frames.push(frameOf(lastOf(scene, [{ text: '' }], asked)));
  return frames;
}

function lastOf(scene: Scene, parts: readonly Part[], asked: Asked): Part {
  const finish = { finishReason: wordOf[scene.stop], ...groundingOf(scene) };
  return chunkOf(parts, usageOf(scene.tokens), asked, finish);
}

function whole(scene: Scene, asked: Asked): object {
  const parts = partsOf(scene);
  return lastOf(scene, parts.length > 0 ? parts : [{ text: '' }], asked);
}

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

function refuse({ status, message }: Refused): unknown {
  return { error: { code: status, message, status: statuses[status] ?? 'INTERNAL' } };
}

function complaint({ headers, body }: Asked): string | undefined {
  if (headers['x-goog-api-key'] === undefined && headers.authorization === undefined) return 'no key';
  const contents = list(body.contents);
  if (contents.length === 0) return 'contents is not specified';
  if (contents[0]?.role !== 'user') return 'the first content should be with role user';
  return disordered(contents);
}

/** Contents of one role that follow each other are one: an SDK sends every chunk of an answer as a content of its own. */
function joinedByRole(contents: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  for (const { role, parts } of contents) {
    const last = joined.at(-1);
    if (last?.role === role && last !== undefined) last.parts = [...list(last.parts), ...list(parts)];
    else joined.push({ role, parts });
  }
  return joined;
}

/** As many results as calls, in the very next content. */
function disordered(contents: readonly Part[]): string | undefined {
  let open = 0;
  for (const { parts } of joinedByRole(contents)) {
    const results = list(parts).filter(({ functionResponse }) => functionResponse !== undefined);
    if (results.some(({ functionResponse }) => !object(functionResponse).name)) return 'a response without a name';
    if (results.length !== open)
      return 'the number of function response parts should equal the number of function call parts';
    open = list(parts).filter(({ functionCall }) => functionCall !== undefined).length;
  }
  return open === 0 ? undefined : 'a function call without its response';
}

function look(body: Readonly<Record<string, unknown>>): Look {
  const parts = list(body.contents).flatMap((content) => list(content.parts));
  const config = object(body.generationConfig);
  const tools = list(body.tools).flatMap((tool) => list(tool.functionDeclarations));
  return {
    model: String(body.model),
    stream: body.stream === true,
    tools: tools.map(({ name }) => String(name)),
    stops: [config.stopSequences ?? []].flat().map(String),
    calls: parts.flatMap(({ functionCall: call }) =>
      call === undefined
        ? []
        : [{ id: String(object(call).id), name: String(object(call).name), input: object(call).args }],
    ),
    results: parts.flatMap(({ functionResponse: result }) =>
      result === undefined ? [] : [{ id: String(object(result).id), text: resultIn(object(object(result).response)) }],
    ),
    signatures: parts.flatMap(({ thoughtSignature }) =>
      thoughtSignature === undefined ? [] : String(thoughtSignature),
    ),
    schema: config.responseJsonSchema ?? config.responseSchema,
  };
}

/** What a tool said: the member for it has no name of its own, and one SDK puts the tool's name beside it. */
function resultIn(response: Part): string {
  return String(response.result ?? response.output ?? response.content);
}

/** Gemini on the wire. */
export const gemini: Wire = {
  path: '/v1beta/models/{model}:streamGenerateContent',
  write,
  whole,
  takesStops: true,
  callId,
  proves: (frame) => /"finishReason":"/.test(frame),
  refuse,
  complaint,
  look,
};
