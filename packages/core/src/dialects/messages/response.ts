/** Whole answers: a message object to events, and a collected response to a message object. */
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
  type Ids,
  isCarrier,
  type JsonObject,
  type JsonState,
  JsonText,
  overlay,
  parseJson,
  thinkingIn,
  withOriginal,
} from '../../dialect.ts';
import { encodeStart, encodeWhole, wholeKinds } from './blocks.ts';
import { encodeCitation } from './citation.ts';
import { decodeMessage } from './decode.ts';
import { notJson, readError, torn, writeError } from './error.ts';
import { emptyMessage, stopDelta } from './message.ts';
import { fullUsage, tierOf } from './usage.ts';

/** Reads a whole message; an error object under a good status is an error all the same. */
export function decodeResponse(body: unknown, options: DecoderOptions): FrameEvents {
  const message = asObject(body);
  if (message?.type === 'message' || (message !== undefined && Array.isArray(message.content)))
    return decodeOwn({ ...message, type: 'message' }, options);
  if (message?.type === 'error' || message?.error !== undefined) return [{ type: 'error', error: readError(body) }];
  const text = 'The upstream answered with something that is not a message.';
  return [{ type: 'error', error: { type: 'upstream', code: 'unexpected_body', message: text, native: body } }];
}

function decodeOwn(message: JsonObject, options: DecoderOptions): FrameEvents {
  return thinkingIn(withOriginal(decodeMessage(message, options), 'messages', message), options);
}

/**
 * Writes a whole message; of several choices it has the first. A failed response is written as its error.
 * Throws `GatewayError` where a call's input is not what it is said to be.
 */
export function encodeResponse(response: CanonicalResponse, { ids, context }: EncoderOptions): JsonObject {
  if (response.error !== undefined) return writeError(response.error);
  const own = response.dialect === 'messages';
  const choice = response.choices[0];
  if (choice !== undefined) checkInputs(choice);
  const hidden = !own && context?.showReasoning === false;
  const shown = (choice?.blocks ?? []).map((block) =>
    hidden && block.kind === 'reasoning' ? { ...block, text: '' } : block,
  );
  const content = shown.flatMap((block) => contentOf(block, own, ids));
  const hasCalls = content.some((block) => asObject(block)?.type === 'tool_use');
  const notes = response.metadata.filter(({ key }) => own && (key === 'container' || key === 'context_management'));
  const written = {
    ...emptyMessage(response.id ?? ids.invent('msg_'), context?.model ?? response.model ?? 'unknown'),
    content,
    ...stopDelta(choice, own, hasCalls),
    ...Object.fromEntries(notes.map(({ key, value }) => [key, value])),
    usage: { ...fullUsage(response.usage), ...(own && tierOf(response.serviceTier)) },
  };
  const original = own ? asObject(response.original) : undefined;
  if (original === undefined) return written;
  const model = context?.model === undefined ? {} : { model: context.model };
  return { ...asObject(overlay(original, written, required)), ...model };
}

/** The members that clients read unasked. */
const required: ReadonlySet<string> = new Set([
  ...['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'usage', 'input_tokens'],
  ...['output_tokens', 'text', 'thinking', 'signature', 'input', 'name'],
]);

/** A block as it stands in a message: its start, filled. Nothing where it has no place here or says nothing. */
function contentOf(block: Block, own: boolean, ids: Ids): readonly unknown[] {
  const start = { ...block, type: 'block-start' } as const;
  if (own && wholeKinds.has(block.kind)) return [wholeContent(block)];
  const shape = encodeStart(start, own, ids);
  const content = asObject(parseJson(shape?.start ?? ''));
  if (content === undefined) return [];
  if (block.kind === 'tool_call') return callOf(block, content);
  return content.type === 'redacted_thinking' ? [content] : filled(block, content, own);
}

/** A call, and what the client has to send back with it: in front of it, or behind it where it came late. */
function callOf(block: Block, content: JsonObject): readonly JsonObject[] {
  return [
    ...carrying(block.toolCall?.signature),
    { ...content, input: inputOf(block) },
    ...carrying(isCarrier(block.signature) ? block.signature : undefined),
  ];
}

function carrying(signature: string | undefined): readonly JsonObject[] {
  return signature === undefined ? [] : [{ type: 'thinking', thinking: '', signature }];
}

/** Input must be an object here, so one that a limit cut off is left out; the stop reason says that it is not whole. */
function inputOf({ toolCall, input }: Block): JsonObject {
  return toolCall?.format === 'text' ? { input } : (asObject(parseJson(input)) ?? {});
}

/** A call whose input is no JSON, or is called whole and was cut off, must not be run. */
function checkInputs({ blocks, reason }: Choice): void {
  const given = blocks.filter(({ toolCall }) => toolCall?.format === 'json').map(({ input }) => stateOf(input));
  const isTorn = given.includes('cut') && (reason === 'tool_calls' || reason === 'stop');
  if (isTorn || given.includes('malformed')) throw new GatewayError(isTorn ? torn : notJson);
}

function stateOf(text: string): JsonState {
  const input = new JsonText();
  input.add(text);
  return input.state;
}

function wholeContent(block: Block): unknown {
  const value = block.outputs[0];
  const content = parseJson(encodeWhole({ ...block, type: 'block-start' }, value).start);
  return block.kind === 'item' && block.text !== '' ? { ...asObject(content), content: block.text } : content;
}

function filled(block: Block, content: JsonObject, own: boolean): readonly JsonObject[] {
  if (block.kind === 'reasoning') {
    const signature = own || isCarrier(block.signature) ? (block.signature ?? '') : '';
    return block.text === '' && signature === '' ? [] : [{ ...content, thinking: block.text, signature }];
  }
  if (block.text === '') return [];
  const citations = block.citations.flatMap((citation) => encodeCitation(citation, own) ?? []);
  return [compact({ ...content, text: block.text, citations: citations.length === 0 ? undefined : citations })];
}
