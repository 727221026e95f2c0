/** Pieces of a message's content and of a tool's output, read and written: text, refusals, images, sound, files. */
import {
  type AudioPart,
  badField,
  compact,
  type DocumentPart,
  entryOf,
  type ImagePart,
  type JsonObject,
  type Losses,
  type MediaSource,
  type Part,
  required,
} from '../../dialect.ts';
import type { ResponsesPart } from './schema.ts';

/** The parts of a content in either of its forms; empty texts say nothing and are left out. */
export function decodeContent(content: string | readonly ResponsesPart[] | null | undefined, at: string): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content, at }];
  const parts = (content ?? []).map((part, index) => decodePart(part, `${at}[${index}]`));
  return parts.filter((part) => part.type !== 'text' || part.text !== '');
}

function decodePart(part: ResponsesPart, at: string): Part {
  const read = entryOf(readers, part.type);
  return { ...(read?.(part, at) ?? { type: 'native', dialect: 'responses', name: part.type, value: part }), at };
}

const readText = (part: ResponsesPart, at: string): Part => ({ type: 'text', text: required(part.text, `${at}.text`) });

const readers: Readonly<Record<string, (part: ResponsesPart, at: string) => Part>> = {
  input_text: readText,
  output_text: readText,
  text: readText,
  refusal: (part, at) => ({ type: 'refusal', text: required(part.refusal, `${at}.refusal`) }),
  input_image: readImage,
  input_file: readFile,
  input_audio: (part, at) => {
    const { data, format } = required(part.input_audio, `${at}.input_audio`);
    return { type: 'audio', source: { type: 'base64', data, mimeType: `audio/${format}` }, format };
  },
};

function readImage({ image_url: url, file_id: fileId, detail }: ResponsesPart, at: string): ImagePart {
  const source: MediaSource = fileId
    ? { type: 'file', fileId }
    : decodeUrl(required(url, `${at}.image_url`), `${at}.image_url`);
  return { type: 'image', source, ...(detail && { detail }) };
}

function readFile(part: ResponsesPart, at: string): DocumentPart {
  return { type: 'document', source: fileSource(part, at), ...(part.filename && { filename: part.filename }) };
}

function fileSource({ file_id: fileId, file_url: url, file_data: data }: ResponsesPart, at: string): MediaSource {
  if (fileId) return { type: 'file', fileId };
  if (url) return { type: 'url', url };
  const text = required(data, `${at}.file_data`);
  if (text.startsWith('data:')) return decodeUrl(text, `${at}.file_data`);
  return { type: 'base64', data: text, mimeType: 'application/pdf' };
}

/** A URL, or the bytes inside a `data:` one. No pattern over the whole: it may be many megabytes. */
function decodeUrl(url: string, at: string): MediaSource {
  if (!url.startsWith('data:')) return { type: 'url', url };
  const comma = url.indexOf(',');
  const [mimeType = '', ...options] = url.slice(5, comma).split(';');
  if (comma === -1 || options.at(-1) !== 'base64') throw badField(at, 'expected a data URL with base64 content');
  return { type: 'base64', data: url.slice(comma + 1), mimeType: mimeType || 'text/plain' };
}

/** A user's parts, or those of a tool's output, less those that Responses has no form for. */
export function encodeParts(parts: readonly Part[], losses: Losses): JsonObject[] {
  return parts.map((part) => encodePart(part, losses)).filter((part) => part !== undefined);
}

function encodePart(part: Part, losses: Losses): JsonObject | undefined {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: 'input_text', text: part.text };
    case 'image':
      return encodeImage(part, losses);
    case 'audio':
      return encodeAudio(part, losses);
    case 'document':
      return encodeDocument(part, losses);
    default:
      return lost(part, losses);
  }
}

function lost(part: Part, losses: Losses, reason = 'Responses has no such part'): undefined {
  losses.severe(part.at ?? 'turns', reason);
}

function encodeImage(part: ImagePart, losses: Losses): JsonObject | undefined {
  const { source, detail } = part;
  if (source.type === 'file') return lost(part, losses, 'a file id means nothing to another provider');
  const url = urlOf(source);
  if (url === undefined) return lost(part, losses);
  return { type: 'input_image', image_url: url, detail: detail ?? 'auto' };
}

function urlOf(source: MediaSource): string | undefined {
  if (source.type === 'url') return source.url;
  return source.type === 'base64' ? `data:${source.mimeType};base64,${source.data}` : undefined;
}

function encodeAudio(part: AudioPart, losses: Losses): JsonObject | undefined {
  const { source } = part;
  if (source.type !== 'base64') return lost(part, losses, 'Responses takes sound as bytes only');
  const format = part.format ?? source.mimeType.replace(/^audio\/(x-)?/, '');
  return { type: 'input_audio', input_audio: { data: source.data, format: format === 'mpeg' ? 'mp3' : format } };
}

/** Bytes and addresses go as a file; text goes as text, under its title: files are PDFs. */
function encodeDocument(part: DocumentPart, losses: Losses): JsonObject | undefined {
  const { source, title, context } = part;
  const at = part.at ?? 'turns';
  if (source.type === 'file') return lost(part, losses, 'a file id means nothing to another provider');
  if (part.citations === true) losses.minor(at, 'Responses cites no documents of a message');
  if (source.type === 'text') {
    losses.minor(at, 'Responses has no text documents: sent as text');
    return { type: 'input_text', text: [title, context, source.text].filter(Boolean).join('\n\n') };
  }
  if (context !== undefined) losses.minor(at, 'Responses has no context of a document');
  if (source.type === 'url') return compact({ type: 'input_file', file_url: source.url });
  const filename = part.filename ?? title ?? 'document.pdf';
  return { type: 'input_file', filename, file_data: `data:${source.mimeType};base64,${source.data}` };
}
