/** Whole answers: a `GenerateContentResponse` to events, and a collected response to one. */
import {
  asObject,
  type Block,
  type CanonicalResponse,
  type Choice,
  compact,
  type DecoderOptions,
  type EncoderOptions,
  type FrameEvents,
  GatewayError,
  isCarrier,
  type JsonObject,
  JsonText,
  overlay,
  parseJson,
  thinkingIn,
  torn,
  withOriginal,
} from '../../dialect.ts';
import { callPart, finishMembers, mediaPart, mimeTypes, noteMember, promptFeedback } from './content.ts';
import { decodeAnswer } from './decode.ts';
import { notJson, readError, writeError } from './error.ts';
import { encodeLogprobs } from './logprobs.ts';
import { objectText } from './queue.ts';
import { mendChunk } from './shape.ts';
import { Sources } from './sources.ts';
import { exclusive } from './usage.ts';

/** Reads a whole answer, or the list of chunks that it came in; an error under a good status is an error all the same. */
export function decodeResponse(body: unknown, options: DecoderOptions): FrameEvents {
  const answers = (Array.isArray(body) ? body : [body]).map(asObject);
  const known = answers.filter((answer) => answer !== undefined);
  for (const answer of known) mendChunk(answer, options.limits.maxDepth);
  if (known.length === answers.length && known.some(isAnswer)) return decodeOwn(known, options);
  const failed = known.find(({ error }) => error !== undefined);
  if (failed !== undefined) return [{ type: 'error', error: readError(failed) }];
  const message = 'The upstream answered with something that is no generated content.';
  return [{ type: 'error', error: { type: 'upstream', code: 'unexpected_body', message, native: body } }];
}

/** Chunks in a list are an answer that nobody wrote as one. */
function decodeOwn(answers: readonly JsonObject[], options: DecoderOptions): FrameEvents {
  const events = decodeAnswer(answers, options);
  const [only] = answers;
  return thinkingIn(answers.length === 1 ? withOriginal(events, 'gemini', only) : events, options);
}

function isAnswer(body: JsonObject): boolean {
  return Array.isArray(body.candidates) || asObject(body.promptFeedback) !== undefined;
}

/** Writes a whole answer. A failed response is written as its error. Throws `GatewayError` where arguments are not what they are said to be. */
export function encodeResponse(response: CanonicalResponse, options: EncoderOptions): JsonObject {
  if (response.error !== undefined) return writeError(response.error);
  const own = response.dialect === 'gemini';
  const { ids, context } = options;
  const blocked = response.choices.find(({ details }) => own && details?.blocked === 'prompt');
  const choices = response.choices.length > 0 ? response.choices : [{ blocks: [] }];
  const candidates = choices.map((choice, index) => ({
    ...encodeChoice(choice, own, options),
    ...notesOf(response, index, own),
    index,
  }));
  const written = compact({
    ...(blocked === undefined ? { candidates } : { promptFeedback: promptFeedback(blocked) }),
    usageMetadata: response.usage === undefined ? undefined : exclusive(response.usage),
    modelVersion: context?.model ?? response.model ?? 'unknown',
    responseId: response.id ?? ids.invent('resp_'),
  });
  const original = own ? asObject(response.original) : undefined;
  if (original === undefined) return written;
  const model = context?.model === undefined ? {} : { modelVersion: context.model };
  return { ...asObject(overlay(original, written, required)), ...model };
}

/** The members that clients read unasked. */
const required: ReadonlySet<string> = new Set([
  'candidates',
  'promptFeedback',
  'content',
  'parts',
  'role',
  'name',
  'args',
]);

function encodeChoice(choice: Choice, own: boolean, { context, limits }: EncoderOptions): JsonObject {
  const shown = choice.blocks.filter(({ kind }) => own || kind !== 'reasoning' || context?.showReasoning !== false);
  const isWhole = choice.reason === undefined || choice.reason === 'stop' || choice.reason === 'tool_calls';
  const parts = shown.flatMap((block) => partsOf(block, own, isWhole, limits.maxDepth));
  const sources = own ? new Sources() : sourcesOf(shown);
  const logprobs = shown.filter(({ kind }) => kind === 'text').flatMap((block) => block.logprobs);
  return {
    content: { parts: parts.length > 0 ? parts : [{ text: '' }], role: 'model' },
    ...finishMembers(choice, own),
    ...sources.members,
    ...(logprobs.length > 0 && { logprobsResult: encodeLogprobs(logprobs) }),
  };
}

/** What the blocks of another dialect cite. */
function sourcesOf(blocks: readonly Block[]): Sources {
  const sources = new Sources();
  let said = '';
  for (const { kind, text, citations } of blocks) {
    const from = said.length;
    if (kind !== 'reasoning') said += text;
    for (const citation of citations) sources.add(citation, said, from);
  }
  return sources;
}

/** What stands beside the content of a candidate, the last of each. */
function notesOf(response: CanonicalResponse, index: number, own: boolean): JsonObject {
  const notes = response.metadata.filter(({ choice = 0 }) => own && choice === index);
  return Object.fromEntries(
    notes.flatMap((note) => {
      const member = noteMember(note);
      return member === undefined ? [] : [[member, note.value]];
    }),
  );
}

function partsOf(block: Block, own: boolean, isWhole: boolean, maxDepth: number): readonly unknown[] {
  const { kind, toolCall } = block;
  if (toolCall?.executor === 'client') return callOf(block, own, isWhole, maxDepth);
  if (kind === 'tool_call' || kind === 'tool_result' || kind === 'item') return own ? block.outputs : [];
  const said = textOf(block, own);
  return block.kind in mimeTypes ? [...mediaOf(block), ...said] : said;
}

function textOf({ kind, text, signature }: Block, own: boolean): readonly JsonObject[] {
  const isSigned = signature !== undefined && (own || isCarrier(signature));
  const signed = isSigned ? { thoughtSignature: signature } : {};
  if (text === '' && !isSigned) return [];
  return [{ ...(kind === 'reasoning' && { thought: true }), text, ...signed }];
}

function mediaOf({ kind, media, data }: Block): readonly JsonObject[] {
  const mimeType = media?.mimeType ?? mimeTypes[kind] ?? '';
  const whole = data.filter(({ partial }) => partial !== true);
  const located = media?.uri === undefined ? [] : [mediaPart(mimeType, { uri: media.uri })];
  return [...located, ...whole.map((piece) => mediaPart(piece.mimeType ?? mimeType, { base64: piece.base64 }))];
}

/** Arguments must be an object here; a call that a limit cut off is left out, for the finish reason says so. */
function callOf(block: Block, own: boolean, isWhole: boolean, maxDepth: number): unknown[] {
  const { toolCall, input, signature = toolCall?.signature } = block;
  if (toolCall?.format === 'text') return [parseJson(callPart(toolCall, JSON.stringify({ input }), signature, own))];
  const json = new JsonText();
  json.add(input);
  if (json.state === 'cut' && !isWhole) return [];
  if (json.state === 'cut') throw new GatewayError(torn);
  const args = json.state === 'empty' ? '{}' : objectText(input, maxDepth);
  if (args === undefined || json.state === 'malformed') throw new GatewayError(notJson);
  return [parseJson(callPart(toolCall, args, signature, own))];
}
