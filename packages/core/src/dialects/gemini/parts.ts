/** Parts of a request, read and written: text, media, thoughts, calls and results. */
import {
  type Aliases,
  asObject,
  compact,
  isDeeper,
  type JsonObject,
  type Losses,
  type MediaSource,
  type Part,
  parseJson,
  type ReasoningPart,
  type ToolCallPart,
  type ToolResultPart,
  titlesOf,
  typeOfUrl,
} from '../../dialect.ts';
import type { GeminiPart, GeminiResult } from './schema.ts';

/** The part that a wire part is, calls and results apart; nothing where it says nothing. */
export function decodePart(part: GeminiPart, at: string): Part | undefined {
  if (typeof part.text === 'string') return decodeText(part, part.text, at);
  if (part.inlineData) {
    const { mimeType, data } = part.inlineData;
    return decodeMedium(part, { type: 'base64', data, mimeType }, mimeType, at);
  }
  if (part.fileData) {
    const { fileUri, mimeType } = part.fileData;
    return decodeMedium(part, decodeUri(fileUri), mimeType ?? '', at);
  }
  const [member] = Object.keys(part).filter((name) => name !== 'thoughtSignature' && name !== 'thought');
  return member === undefined ? undefined : native(part, nativeNames.get(member) ?? member, at);
}

/** Names by which other dialects know that they lose no more than what a tool of the provider's did. */
const nativeNames: ReadonlyMap<string, string> = new Map([
  ['executableCode', 'code_execution_tool_use'],
  ['codeExecutionResult', 'code_execution_tool_result'],
  ['toolCall', 'server_tool_use'],
  ['toolResponse', 'server_tool_result'],
]);

function native(part: GeminiPart, name: string, at: string): Part {
  return { type: 'native', dialect: 'gemini', name, value: part, at };
}

function decodeText(part: GeminiPart, text: string, at: string): Part | undefined {
  const signature = part.thoughtSignature ?? undefined;
  if (part.thought === true) return compact({ type: 'reasoning', text, signature, at });
  return text === '' ? undefined : { type: 'text', text, at };
}

function decodeMedium(part: GeminiPart, source: MediaSource, mimeType: string, at: string): Part {
  const [kind] = mimeType.split('/');
  if (kind === 'image' || kind === 'audio') return { type: kind, source, at };
  return kind === 'video' ? native(part, 'video', at) : { type: 'document', source, at };
}

/** Files that were uploaded are known to their provider alone. */
function decodeUri(uri: string): MediaSource {
  return /^https?:/.test(uri) && !/\/files\/[^/]+$/.test(uri)
    ? { type: 'url', url: uri }
    : { type: 'file', fileId: uri };
}

/** A result; one that holds nothing but an error has failed. */
export function decodeResult(result: GeminiResult, callId: string, at: string): ToolResultPart {
  const response = result.response ?? {};
  const names = Object.keys(response);
  const only = names.length === 1 ? names[0] : undefined;
  const said = only === 'output' || only === 'result' || only === 'error' ? response[only] : response;
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  const media = (result.parts ?? []).flatMap((part) => (part.inlineData ? decodePart(part, at) : []));
  const pictures = media.filter((part) => part?.type === 'image' || part?.type === 'document');
  return compact({
    type: 'tool_result',
    callId,
    name: result.name,
    content: [{ type: 'text', text }, ...pictures] as ToolResultPart['content'],
    isError: only === 'error' ? true : undefined,
    at,
  });
}

/** What the parts of one request share. */
export interface Writing {
  /** Whether the client speaks this dialect: files are then the provider's own. */
  own: boolean;
  names: Aliases;
  losses: Losses;
  /** Names of the functions by the ids of their calls; results need them. */
  called: Map<string, string>;
  /** Whether the model demands a signature on the first call of each step of the current turn. */
  demands: boolean;
}

/** The parts of a turn, less what has no form here. */
export function encodeParts(parts: readonly Part[], writing: Writing): JsonObject[] {
  return parts.flatMap((part) => encodePart(part, writing));
}

function encodePart(part: Part, writing: Writing): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [compact({ text: part.text, thoughtSignature: part.signature })];
    case 'refusal':
      return part.text === '' ? [] : [{ text: part.text }];
    case 'image':
    case 'audio':
    case 'document':
      return encodeMedium(part, writing);
    case 'reasoning':
      return encodeReasoning(part, writing);
    case 'tool_call':
      return [encodeCall(part, writing)];
    case 'tool_result':
      return encodeResult(part, writing);
    case 'native':
      return part.dialect === 'gemini' ? [{ ...asObject(part.value) }] : lost(part, writing, `no ${part.name} here`);
  }
}

function lost(part: Part, { losses }: Writing, reason: string): readonly JsonObject[] {
  losses.severe(part.at ?? 'turns', reason);
  return [];
}

type MediumPart = Extract<Part, { type: 'image' | 'audio' | 'document' }>;

function encodeMedium(part: MediumPart, writing: Writing): readonly JsonObject[] {
  const { source } = part;
  if (part.type === 'image' && (part.detail === 'low' || part.detail === 'high'))
    writing.losses.minor(part.at ?? 'turns', 'the resolution is asked for in another way here');
  switch (source.type) {
    case 'base64':
      return [{ inlineData: { mimeType: source.mimeType, data: source.data } }];
    case 'url':
      return [{ fileData: compact({ mimeType: typeOfUrl(source.url), fileUri: source.url }) }];
    case 'text':
      return [{ text: [...titlesOf(part), source.text].join('\n\n') }];
    case 'file':
      if (!writing.own) return lost(part, writing, 'a file id means nothing to another provider');
      return [{ fileData: { fileUri: source.fileId } }];
  }
}

/** Thoughts go back to their own provider only; its signatures stand on them. */
function encodeReasoning(part: ReasoningPart, { own, losses }: Writing): readonly JsonObject[] {
  if (part.signature !== undefined || (own && part.text !== undefined))
    return [compact({ text: part.text ?? '', thought: true, thoughtSignature: part.signature })];
  losses.minor(part.at ?? 'turns', 'thoughts of another provider are not taken');
  return [];
}

function encodeCall(part: ToolCallPart, { names, losses, called }: Writing): JsonObject {
  const name = names.of(part.name);
  called.set(part.id, name);
  return compact({
    functionCall: { id: part.id, name, args: argsOf(part, losses) },
    thoughtSignature: part.signature,
  });
}

/** A custom tool's text travels as `{"input": …}`, and so do arguments that are no JSON object. */
function argsOf({ kind, input, at }: ToolCallPart, losses: Losses): JsonObject {
  if (kind === 'custom') return { input };
  const parsed = input.trim() === '' ? {} : isDeeper(input, 256) ? undefined : asObject(parseJson(input));
  if (parsed === undefined) losses.minor(at ?? 'turns', 'the arguments are no JSON object: sent as a text in one');
  return parsed ?? { input };
}

/** A result needs the name of its function; media of a result stand beside it. */
function encodeResult(part: ToolResultPart, writing: Writing): readonly JsonObject[] {
  const text = part.content.flatMap((piece) => (piece.type === 'text' ? piece.text : [])).join('\n');
  const media = part.content.filter((piece) => piece.type !== 'text');
  if (media.length > 0) writing.losses.minor(part.at ?? 'turns', 'pictures of a result stand beside it');
  const name = writing.called.get(part.callId) ?? (part.name === undefined ? 'tool' : writing.names.of(part.name));
  const response = part.isError === true ? { error: text } : { result: text };
  return [{ functionResponse: { id: part.callId, name, response } }, ...encodeParts(media, writing)];
}
