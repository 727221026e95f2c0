/** Whole Chat answers: a completion to events, and a collected response to a completion. */
import {
  asArray,
  asObject,
  type Block,
  type CanonicalResponse,
  type Choice,
  compact,
  type DecoderOptions,
  type EncoderOptions,
  type FrameEvents,
  type JsonObject,
  overlay,
  type RequestContext,
  withOriginal,
  wrapClosing,
  wrapOpening,
  wrapPiece,
} from '../../dialect.ts';
import { callWith, extraContent } from './carried.ts';
import { encodeAnnotation } from './citations.ts';
import { ChatDecoder } from './decode.ts';
import { encodeLogprobs } from './logprobs.ts';
import { finishWords, reasoningFields } from './terms.ts';
import { encodeUsage } from './usage.ts';

interface Options extends EncoderOptions {
  /** Whether the answer was a completion before. */
  own: boolean;
}

/** Reads a completion, or the error that came in its place: one chunk whose deltas are whole. It becomes such a chunk, so a copy is kept. */
export function decodeResponse(body: unknown, options: DecoderOptions): FrameEvents {
  const decoder = new ChatDecoder(options);
  const completion = asObject(body);
  const original = options.extractThinkTags === true ? undefined : structuredClone(completion);
  const frames =
    completion === undefined
      ? decoder.push({ name: undefined, data: JSON.stringify(body) })
      : [decoder.whole(completion)];
  const events = [...frames, ...decoder.push({ name: undefined, data: '[DONE]' })].flat();
  return original === undefined ? events : withOriginal(events, 'chat', original);
}

/** Writes a completion. */
export function encodeResponse(response: CanonicalResponse, options: EncoderOptions): JsonObject {
  const { context } = options;
  const own = { ...options, own: response.dialect === 'chat' };
  const fingerprint = response.metadata.find(({ key }) => key === 'system_fingerprint')?.value;
  const choices = response.choices.length > 0 ? response.choices : [{ blocks: [] }];
  const written = compact({
    id: response.id ?? options.ids.invent('chatcmpl-'),
    object: 'chat.completion',
    created: response.createdAt ?? context?.startedAt ?? 0,
    model: context?.model ?? response.model ?? 'unknown',
    choices: choices.map((choice, index) => encodeChoice(choice, index, own)),
    usage: response.usage === undefined ? undefined : encodeUsage(response.usage),
    service_tier: response.serviceTier,
    system_fingerprint: fingerprint,
  });
  const original = own.own && response.error === undefined ? asObject(response.original) : undefined;
  return original === undefined ? written : givenBack(original, written, context);
}

/** The members that clients read unasked. */
const required: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created', 'model', 'choices', 'index', 'message', 'role', 'content', 'finish_reason'],
  ...['type', 'function', 'name', 'arguments', 'prompt_tokens', 'completion_tokens', 'total_tokens'],
]);

/** Content in typed parts, which clients cannot read, becomes text; then the reasoning among the parts needs a place of its own. */
const requiredOfParts: ReadonlySet<string> = new Set([...required, 'reasoning_content']);

/** The upstream's own completion. */
function givenBack(original: JsonObject, written: JsonObject, context: RequestContext | undefined): JsonObject {
  const hidden = context?.showReasoning === false ? reasoningFields : [];
  const choices = asArray(original.choices).map((value) => {
    const choice = asObject(value) ?? {};
    const message = Object.entries(asObject(choice.message) ?? {}).filter(([name]) => !hidden.includes(name));
    return { ...choice, message: Object.fromEntries(message) };
  });
  const inParts = choices.some(({ message }) => Array.isArray(message.content));
  const needed = inParts ? requiredOfParts : required;
  const whole = asObject(overlay({ ...original, choices }, written, needed)) ?? written;
  const model = context?.model === undefined ? {} : { model: context.model };
  return { ...whole, object: 'chat.completion', ...model };
}

function encodeChoice(choice: Choice, index: number, options: Options): JsonObject {
  const logprobs = choice.blocks.filter(({ kind }) => kind === 'text').flatMap((block) => block.logprobs);
  const refusals = choice.blocks.filter(({ kind }) => kind === 'refusal').flatMap((block) => block.logprobs);
  return {
    index,
    message: encodeMessage(choice, options),
    logprobs:
      logprobs.length + refusals.length === 0
        ? null
        : { content: encodeLogprobs(logprobs), refusal: refusals.length > 0 ? encodeLogprobs(refusals) : null },
    finish_reason: finishWord(choice),
  };
}

function encodeMessage({ blocks, reason, details }: Choice, options: Options): JsonObject {
  const reasoning = textOf(blocks, 'reasoning');
  const field = options.context?.showReasoning === false ? 'none' : (options.reasoningField ?? 'both');
  const calls = blocks.filter(isClientCall).map((block) => encodeCall(block, options));
  const annotations = blocks
    .flatMap(({ citations }) => citations)
    .flatMap((citation) => encodeAnnotation(citation) ?? []);
  const shown = (name: string): string | undefined => (field === 'both' || field === name ? reasoning : undefined);
  return compact({
    role: 'assistant',
    content: textOf(blocks, 'text') ?? null,
    refusal: textOf(blocks, 'refusal') ?? (reason === 'refusal' ? details?.message : undefined) ?? null,
    reasoning: shown('reasoning'),
    reasoning_content: shown('reasoning_content'),
    tool_calls: calls.length > 0 ? calls : undefined,
    annotations: annotations.length > 0 ? annotations : undefined,
    audio: encodeAudio(blocks.find(({ kind }) => kind === 'audio')),
  });
}

function textOf(blocks: readonly Block[], kind: Block['kind']): string | undefined {
  const texts = blocks.filter((block) => block.kind === kind).map(({ text }) => text);
  const joined = texts.join('');
  return joined === '' ? undefined : joined;
}

function isClientCall({ toolCall }: Block): boolean {
  return toolCall?.executor === 'client';
}

function encodeCall({ toolCall, input, signature }: Block, { context, own }: Options): JsonObject {
  const { name = '', format = 'json' } = toolCall ?? {};
  const free = format === 'text';
  const signed = signature === undefined ? {} : extraContent(signature);
  if (free && (own || isCustomTool(name, context)))
    return { ...callWith(toolCall, 'custom', { name, input }), ...signed };
  const wrapped = free ? wrapOpening + wrapPiece(input) + wrapClosing : input;
  return { ...callWith(toolCall, 'function', { name, arguments: wrapped === '' ? '{}' : wrapped }), ...signed };
}

/** Whether the client has this tool with free-form input itself; its SDK's stream helper knows no other custom call. */
export function isCustomTool(name: string, context: RequestContext | undefined): boolean {
  return context?.customTools?.includes(name) === true;
}

function encodeAudio(block: Block | undefined): JsonObject | undefined {
  if (block === undefined) return undefined;
  const item = asObject(block.final?.item);
  const data = block.data.map(({ base64 }) => base64).join('');
  return { id: block.item?.id ?? '', data, transcript: block.text, expires_at: item?.expires_at ?? 0 };
}

function finishWord({ blocks, reason = 'stop' }: Choice): string {
  if (reason === 'tool_calls' && !blocks.some(isClientCall)) return 'stop';
  if (reason === 'refusal' && blocks.some(({ kind }) => kind === 'refusal')) return 'stop';
  return finishWords[reason] ?? 'stop';
}
