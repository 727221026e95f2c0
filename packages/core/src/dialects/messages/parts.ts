/** Content blocks, read and written: text, images, documents, thinking, calls and results. */
import {
  type Aliases,
  asArray,
  asObject,
  type CacheControl,
  compact,
  type DocumentPart,
  entryOf,
  type ImagePart,
  type JsonObject,
  type Losses,
  legalId,
  type MediaSource,
  type Part,
  parseJson,
  type ReasoningPart,
  required,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../dialect.ts';
import { type MessagesBlock, type MessagesCacheControl, type MessagesSource, parseContent } from './schema.ts';

/** The parts of a content in either of its forms. */
export function decodeContent(content: string | readonly MessagesBlock[], at: string): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content, at }];
  return content.map((block, index) => decodeBlock(block, `${at}[${index}]`));
}

/** A breakpoint of the prompt cache. */
export function decodeCacheControl(control: MessagesCacheControl | null | undefined): CacheControl | undefined {
  if (!control) return undefined;
  return control.ttl === '5m' || control.ttl === '1h' ? { type: 'ephemeral', ttl: control.ttl } : { type: 'ephemeral' };
}

function decodeBlock(block: MessagesBlock, at: string): Part {
  const part = entryOf(readers, block.type)?.(block, at) ?? native(block);
  const cacheControl = decodeCacheControl(block.cache_control);
  return { ...part, at, ...(cacheControl !== undefined && { cacheControl }) };
}

function native(block: MessagesBlock): Part {
  return { type: 'native', dialect: 'messages', name: block.type, value: block };
}

type Reader = (block: MessagesBlock, at: string) => Part;

const readers: Readonly<Record<string, Reader>> = {
  text: readText,
  image: readImage,
  document: readDocument,
  search_result: readSearchResult,
  thinking: ({ thinking, signature }) =>
    compact({ type: 'reasoning', text: thinking ?? '', signature: signature ?? undefined }),
  redacted_thinking: (block, at) => ({ type: 'reasoning', redacted: required(block.data, `${at}.data`) }),
  tool_use: readCall,
  tool_result: readResult,
};

function readText(block: MessagesBlock, at: string): TextPart {
  const citations = asArray(block.citations);
  return {
    type: 'text',
    text: required(block.text, `${at}.text`),
    ...(citations.length > 0 && { citations }),
  };
}

function readImage(block: MessagesBlock, at: string): Part {
  const source = decodeSource(sourceOf(block, at), `${at}.source`);
  return source === undefined ? native(block) : { type: 'image', source };
}

function readDocument(block: MessagesBlock, at: string): Part {
  const source = decodeSource(sourceOf(block, at), `${at}.source`);
  if (source === undefined) return native(block);
  return compact({
    type: 'document',
    source,
    title: block.title ?? undefined,
    context: block.context ?? undefined,
    citations: asObject(block.citations)?.enabled === true ? true : undefined,
  });
}

/** A search result is a text document that says where it is from. */
function readSearchResult(block: MessagesBlock, at: string): DocumentPart {
  const text = textOf(parseContent(block.content, `${at}.content`));
  const from = typeof block.source === 'string' ? block.source : undefined;
  return compact({
    type: 'document',
    source: { type: 'text', text: text ?? '' },
    title: block.title ?? undefined,
    context: from,
    citations: asObject(block.citations)?.enabled === true ? true : undefined,
  });
}

function sourceOf(block: MessagesBlock, at: string): MessagesSource {
  const source = required(block.source, `${at}.source`);
  return typeof source === 'string' ? { type: 'text', data: source } : source;
}

/** Where the bytes are, or nothing for a form that only Messages has. */
function decodeSource(source: MessagesSource, at: string): MediaSource | undefined {
  switch (source.type) {
    case 'base64':
      return {
        type: 'base64',
        data: required(source.data, `${at}.data`),
        mimeType: required(source.media_type, `${at}.media_type`),
      };
    case 'url':
      return { type: 'url', url: required(source.url, `${at}.url`) };
    case 'file':
      return { type: 'file', fileId: required(source.file_id, `${at}.file_id`) };
    case 'text':
      return { type: 'text', text: required(source.data, `${at}.data`), mimeType: source.media_type ?? 'text/plain' };
    case 'content': {
      const text = textOf(parseContent(source.content, `${at}.content`));
      return text === undefined ? undefined : { type: 'text', text };
    }
    default:
      return undefined;
  }
}

/** The text of a content that is text alone. */
function textOf(content: string | readonly MessagesBlock[]): string | undefined {
  if (typeof content === 'string') return content;
  return content.every(({ type }) => type === 'text') ? content.map(({ text }) => text ?? '').join('\n') : undefined;
}

function readCall(block: MessagesBlock, at: string): ToolCallPart {
  const id = required(block.id, `${at}.id`);
  const name = required(block.name, `${at}.name`);
  return { type: 'tool_call', id, name, kind: 'function', input: JSON.stringify(block.input ?? {}) };
}

function readResult(block: MessagesBlock, at: string): ToolResultPart {
  const callId = required(block.tool_use_id, `${at}.tool_use_id`);
  const content = block.content ? decodeContent(parseContent(block.content, `${at}.content`), `${at}.content`) : [];
  return compact({
    type: 'tool_result',
    callId,
    content: content.map(resultPart),
    isError: block.is_error ?? undefined,
  });
}

/** Kinds that no tool result has elsewhere stay readable as JSON. */
function resultPart(part: Part): ToolResultPart['content'][number] {
  if (part.type === 'text' || part.type === 'image' || part.type === 'document') return part;
  return { type: 'text', text: JSON.stringify(part.type === 'native' ? part.value : part) };
}

/** What the blocks of one request share. */
export interface Writing {
  /** Whether the client speaks Messages: file ids are then the provider's own. */
  own: boolean;
  names: Aliases;
  losses: Losses;
}

/** Ids of calls as the API takes them; the length is ours, to be on the safe side. */
const idForm = /^[a-zA-Z0-9_-]{1,64}$/;

/** The blocks of a turn, less what Messages has no form for; texts of nothing but white space are refused by it. */
export function encodeParts(parts: readonly Part[], writing: Writing): JsonObject[] {
  return parts.flatMap((part) => {
    const block = encodePart(part, writing);
    return block === undefined ? [] : [marked(block, part.cacheControl)];
  });
}

/** Anything with its breakpoint. */
export function marked(block: JsonObject, cacheControl: CacheControl | undefined): JsonObject {
  return cacheControl === undefined ? block : { ...block, cache_control: cacheControl };
}

function encodePart(part: Part, writing: Writing): JsonObject | undefined {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return encodeText(part.text, part.type === 'text' && writing.own ? part.citations : undefined);
    case 'image':
      return encodeImage(part, writing);
    case 'document':
      return encodeDocument(part, writing);
    case 'reasoning':
      return encodeReasoning(part, writing);
    case 'tool_call':
      return encodeCall(part, writing);
    case 'tool_result':
      return encodeResult(part, writing);
    default:
      return part.type === 'native' && part.dialect === 'messages' ? asObject(part.value) : lost(part, writing);
  }
}

function lost(part: Part, { losses }: Writing, reason?: string): undefined {
  const name = part.type === 'native' ? part.name : part.type;
  losses.severe(part.at ?? 'turns', reason ?? `Messages has no ${name}`);
}

const foreignFile = 'a file id means nothing to another provider';

function encodeText(text: string, citations: readonly unknown[] | undefined): JsonObject | undefined {
  return text.trim() === '' ? undefined : { type: 'text', text, ...(citations && { citations }) };
}

const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

function encodeImage(part: ImagePart, writing: Writing): JsonObject | undefined {
  const { source, detail } = part;
  if (detail === 'low' || detail === 'high')
    writing.losses.minor(part.at ?? 'turns', 'Messages has no detail of an image');
  if (source.type === 'url') return { type: 'image', source };
  if (source.type === 'file')
    return writing.own
      ? { type: 'image', source: { type: 'file', file_id: source.fileId } }
      : lost(part, writing, foreignFile);
  if (source.type !== 'base64' || !imageTypes.includes(source.mimeType))
    return lost(part, writing, 'Messages takes images as PNG, JPEG, WebP or GIF');
  return { type: 'image', source: { type: 'base64', media_type: source.mimeType, data: source.data } };
}

function encodeDocument(part: DocumentPart, writing: Writing): JsonObject | undefined {
  const source = encodeDocumentSource(part.source, writing.own);
  if (source === undefined)
    return lost(
      part,
      writing,
      part.source.type === 'file' ? foreignFile : 'Messages takes documents as PDF or plain text',
    );
  return compact({
    type: 'document',
    source,
    title: part.title ?? part.filename,
    context: part.context,
    citations: part.citations === true ? { enabled: true } : undefined,
  });
}

function encodeDocumentSource(source: MediaSource, own: boolean): JsonObject | undefined {
  switch (source.type) {
    case 'url':
      return { type: 'url', url: source.url };
    case 'text':
      return { type: 'text', media_type: 'text/plain', data: source.text };
    case 'file':
      return own ? { type: 'file', file_id: source.fileId } : undefined;
    case 'base64':
      if (source.mimeType === 'application/pdf')
        return { type: 'base64', media_type: 'application/pdf', data: source.data };
      return source.mimeType.startsWith('text/')
        ? { type: 'text', media_type: 'text/plain', data: textOfBase64(source.data) }
        : undefined;
  }
}

function textOfBase64(data: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
}

/** Only signed or redacted thinking is taken back; what is here by now was made by the provider that is asked. */
function encodeReasoning(part: ReasoningPart, { losses }: Writing): JsonObject | undefined {
  if (part.redacted !== undefined) return { type: 'redacted_thinking', data: part.redacted };
  if (part.signature !== undefined) return { type: 'thinking', thinking: part.text ?? '', signature: part.signature };
  losses.minor(part.at ?? 'turns', 'Messages takes no thinking that its provider has not signed');
  return undefined;
}

function encodeCall(part: ToolCallPart, { names, losses }: Writing): JsonObject {
  return { type: 'tool_use', id: legalId(part.id, idForm), name: names.of(part.name), input: inputOf(part, losses) };
}

/** A custom tool's text travels as `{"input": …}`, and so do arguments that are no JSON object. */
function inputOf({ kind, input, at }: ToolCallPart, losses: Losses): JsonObject {
  if (kind === 'custom') return { input };
  const parsed = input.trim() === '' ? {} : asObject(parseJson(input));
  if (parsed === undefined) losses.minor(at ?? 'turns', 'the arguments are no JSON object: sent as a text in one');
  return parsed ?? { input };
}

function encodeResult(part: ToolResultPart, writing: Writing): JsonObject {
  const blocks = encodeParts(part.content, writing);
  const [first] = blocks;
  const plain = blocks.length === 1 && first?.type === 'text' && first.cache_control === undefined;
  return compact({
    type: 'tool_result',
    tool_use_id: legalId(part.callId, idForm),
    content: blocks.length === 0 ? undefined : plain ? first.text : blocks,
    is_error: part.isError,
  });
}
