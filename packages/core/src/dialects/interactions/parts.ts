/** Content and steps of a request, read and written: text, media, thoughts, calls and results. */
import {
  type Aliases,
  asArray,
  asObject,
  asText,
  compact,
  type DocumentPart,
  type ImagePart,
  isDeeper,
  type JsonObject,
  type Losses,
  type MediaSource,
  type Part,
  parseJson,
  type ReasoningPart,
  required,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  titlesOf,
  typeOfUrl,
} from '../../dialect.ts';
import type { Entry } from './schema.ts';

/** The part that a content or a step is; nothing where it says nothing. */
export function decodePart(entry: Entry, at: string): Part | undefined {
  switch (entry.type ?? 'text') {
    case 'text':
      return entry.text ? { type: 'text', text: entry.text, at } : undefined;
    case 'image':
      return compact({ type: 'image', source: sourceOf(entry, at), detail: entry.resolution ?? undefined, at });
    case 'audio':
    case 'document':
      return { type: entry.type as 'audio' | 'document', source: sourceOf(entry, at), at };
    case 'thought':
      return decodeThought(entry, at);
    case 'function_call':
      return decodeCall(entry, at);
    case 'function_result':
      return decodeResult(entry, at);
    default:
      return { type: 'native', dialect: 'interactions', name: nameOf(String(entry.type)), value: entry, at };
  }
}

/** Names by which other dialects know that they lose no more than what a tool of the provider's did. */
function nameOf(type: string): string {
  return type.replace(/_call$/, '_tool_use').replace(/_result$/, '_tool_result');
}

/** Files that were uploaded are known to their provider alone. */
function sourceOf({ data, uri, mime_type: mimeType }: Entry, at: string): MediaSource {
  if (data) return { type: 'base64', data, mimeType: mimeType ?? '' };
  const url = required(uri || undefined, `${at}.data`);
  const isUrl = /^https?:/.test(url) && !/\/files\/[^/]+$/.test(url);
  return isUrl ? { type: 'url', url } : { type: 'file', fileId: url };
}

function decodeThought({ summary, signature }: Entry, at: string): Part | undefined {
  const pieces = typeof summary === 'string' ? [summary] : (summary ?? []).flatMap(({ text }) => text ?? []);
  const text = pieces.join('');
  if (text === '' && !signature) return undefined;
  return compact({ type: 'reasoning', text: text === '' ? undefined : text, signature: signature ?? undefined, at });
}

function decodeCall({ id, name, arguments: args, signature }: Entry, at: string): Part {
  return compact({
    type: 'tool_call',
    id: required(id || undefined, `${at}.id`),
    name: required(name || undefined, `${at}.name`),
    kind: 'function',
    input: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
    signature: signature ?? undefined,
    at,
  });
}

/** A result is a text, a list of contents, or an object, which goes on as JSON. */
function decodeResult({ call_id: callId, name, result, is_error: isError }: Entry, at: string): ToolResultPart {
  return compact({
    type: 'tool_result',
    callId: required(callId || undefined, `${at}.call_id`),
    name: name ?? undefined,
    content: contentOf(result, at),
    isError: isError ?? undefined,
    at,
  });
}

function contentOf(result: unknown, at: string): (TextPart | ImagePart | DocumentPart)[] {
  const pieces = asArray(result).map((piece) => asObject(piece));
  if (!Array.isArray(result) || pieces.some((piece) => typeof piece?.type !== 'string'))
    return [{ type: 'text', text: typeof result === 'string' ? result : JSON.stringify(result ?? null), at }];
  return pieces.flatMap((piece, index) => {
    const part = decodePart(piece as Entry, `${at}.result[${index}]`);
    if (part?.type === 'text' || part?.type === 'image' || part?.type === 'document') return part;
    return part === undefined ? [] : { type: 'text', text: JSON.stringify(piece), at };
  });
}

/** What the parts of one request share. */
export interface Writing {
  /** Whether the client speaks this dialect: files are then the provider's own. */
  own: boolean;
  names: Aliases;
  losses: Losses;
}

/** The parts of a turn as steps, less what has no form here; neighbouring content is of one step. */
export function encodeParts(
  parts: readonly Part[],
  type: 'user_input' | 'model_output',
  writing: Writing,
): readonly JsonObject[] {
  const steps: JsonObject[] = [];
  let content: JsonObject[] | undefined;
  for (const part of parts) {
    const step = encodeStep(part, writing);
    if (step === undefined) {
      const said = encodeContent(part, writing);
      if (said.length > 0 && content === undefined) {
        content = [];
        steps.push({ type, content });
      }
      content?.push(...said);
    } else {
      content = undefined;
      steps.push(...step);
    }
  }
  return steps;
}

function encodeStep(part: Part, writing: Writing): readonly JsonObject[] | undefined {
  switch (part.type) {
    case 'reasoning':
      return encodeReasoning(part, writing);
    case 'tool_call':
      return [encodeCall(part, writing)];
    case 'tool_result':
      return [encodeResult(part, writing)];
    case 'native':
      if (part.dialect !== 'interactions') return lost(part, writing, `Interactions has no ${part.name}`);
      return asText(asObject(part.value)?.type) === 'video' ? undefined : [{ ...asObject(part.value) }];
    default:
      return undefined;
  }
}

function encodeContent(part: Part, writing: Writing): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'image':
    case 'audio':
    case 'document':
      return encodeMedium(part, writing);
    case 'native':
      return [{ ...asObject(part.value) }];
    default:
      return [];
  }
}

/** What a tool of another provider did stays behind; its text does not. */
function lost(part: Part, { losses }: Writing, reason: string): readonly JsonObject[] {
  const isServerTool = part.type === 'native' && /tool_(use|result)$/.test(part.name);
  losses[isServerTool ? 'minor' : 'severe'](part.at ?? 'turns', reason);
  return [];
}

type MediumPart = Extract<Part, { type: 'image' | 'audio' | 'document' }>;

function encodeMedium(part: MediumPart, writing: Writing): readonly JsonObject[] {
  const { source, type } = part;
  const resolution =
    part.type === 'image' && (part.detail === 'low' || part.detail === 'high') ? part.detail : undefined;
  switch (source.type) {
    case 'base64':
      return [compact({ type, data: source.data, mime_type: source.mimeType, resolution })];
    case 'url':
      return [compact({ type, uri: source.url, mime_type: typeOfUrl(source.url), resolution })];
    case 'text':
      return [{ type: 'text', text: [...titlesOf(part), source.text].join('\n\n') }];
    case 'file':
      if (!writing.own) return lost(part, writing, 'a file id means nothing to another provider');
      return [compact({ type, uri: source.fileId, resolution })];
  }
}

/** Thoughts go back to their own provider only; one whose summary was not asked for is a signature alone. */
function encodeReasoning(part: ReasoningPart, { own, losses }: Writing): readonly JsonObject[] {
  const isTaken = own || part.signature !== undefined;
  if (!isTaken) losses.minor(part.at ?? 'turns', 'thoughts of another provider are not taken');
  if (!isTaken) return [];
  const summary = part.text ? [{ type: 'text', text: part.text }] : undefined;
  return [compact({ type: 'thought', summary, signature: part.signature })];
}

function encodeCall(part: ToolCallPart, { names, losses }: Writing): JsonObject {
  return compact({
    type: 'function_call',
    id: part.id,
    name: names.of(part.name),
    arguments: argsOf(part, losses),
    signature: part.signature,
  });
}

/** A custom tool's text travels as `{"input": …}`, and so do arguments that are no JSON object. */
function argsOf({ kind, input, at }: ToolCallPart, losses: Losses): JsonObject {
  if (kind === 'custom') return { input };
  const parsed = input.trim() === '' ? {} : isDeeper(input, 256) ? undefined : asObject(parseJson(input));
  if (parsed === undefined) losses.minor(at ?? 'turns', 'the arguments are no JSON object: sent as a text in one');
  return parsed ?? { input };
}

/** A result that is text alone goes as a text. */
function encodeResult(part: ToolResultPart, writing: Writing): JsonObject {
  const isText = part.content.every(({ type }) => type === 'text');
  const result = isText
    ? part.content.flatMap((piece) => (piece.type === 'text' ? piece.text : [])).join('\n')
    : part.content.flatMap((piece) => encodeContent(piece, writing));
  return compact({
    type: 'function_result',
    call_id: part.callId,
    name: part.name === undefined ? undefined : writing.names.of(part.name),
    result,
    is_error: part.isError,
  });
}
