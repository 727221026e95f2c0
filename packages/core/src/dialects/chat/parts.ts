/** Pieces of a message's content, read and written: text, refusals, images, sound, files. */
import {
  type AudioPart,
  badField,
  type CacheControl,
  compact,
  type DocumentPart,
  entryOf,
  type ImagePart,
  type Losses,
  type MediaSource,
  type Part,
  required,
} from '../../dialect.ts';
import type { ChatCacheControl, ChatPart } from './schema.ts';

/** A part as a Chat request carries it. */
export type WirePart = Readonly<Record<string, unknown>>;

/** The parts of a content in either of its forms; empty texts say nothing and are left out. */
export function decodeContent(content: string | readonly ChatPart[] | null | undefined, at: string): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content, at }];
  return (content ?? []).map((part, index) => decodePart(part, `${at}[${index}]`)).filter((part) => !isEmpty(part));
}

/** A breakpoint in the Messages form, which gateways take, or the sign of OpenAI's own form. */
export function decodeCacheControl(
  control: ChatCacheControl | null | undefined,
  breakpoint?: unknown,
): CacheControl | undefined {
  if (control === null || control === undefined) return breakpoint ? { type: 'ephemeral' } : undefined;
  return control.ttl === '5m' || control.ttl === '1h' ? { type: 'ephemeral', ttl: control.ttl } : { type: 'ephemeral' };
}

function isEmpty(part: Part): boolean {
  return part.type === 'text' && part.text === '';
}

function decodePart(part: ChatPart, at: string): Part {
  const read = entryOf(readers, part.type);
  const cacheControl = decodeCacheControl(part.cache_control, part.prompt_cache_breakpoint);
  const known = read?.(part, at) ?? ({ type: 'native', dialect: 'chat', name: part.type, value: part } as const);
  return { ...known, at, ...(cacheControl !== undefined && { cacheControl }) };
}

const readers: Readonly<Record<string, (part: ChatPart, at: string) => Part>> = {
  text: (part, at) => ({ type: 'text', text: required(part.text, `${at}.text`) }),
  refusal: (part, at) => ({ type: 'refusal', text: required(part.refusal, `${at}.refusal`) }),
  image_url: readImage,
  input_audio: (part, at) => {
    const { data, format } = required(part.input_audio, `${at}.input_audio`);
    return { type: 'audio', source: { type: 'base64', data, mimeType: `audio/${format}` }, format };
  },
  file: readFile,
};

function readImage(part: ChatPart, at: string): ImagePart {
  const image = required(part.image_url, `${at}.image_url`);
  const { url, detail } = typeof image === 'string' ? { url: image, detail: undefined } : image;
  return { type: 'image', source: decodeUrl(url, `${at}.image_url.url`), ...(detail && { detail }) };
}

function readFile(part: ChatPart, at: string): DocumentPart {
  const { file_data: data, file_id: fileId, filename } = required(part.file, `${at}.file`);
  const named = filename ? { filename } : {};
  if (fileId) return { type: 'document', source: { type: 'file', fileId }, ...named };
  const text = required(data, `${at}.file.file_data`);
  if (text.startsWith('data:') || /^https?:/.test(text))
    return { type: 'document', source: decodeUrl(text, `${at}.file.file_data`), ...named };
  const mimeType = filename?.toLowerCase().endsWith('.txt') ? 'text/plain' : 'application/pdf';
  return { type: 'document', source: { type: 'base64', data: text, mimeType }, ...named };
}

/** A URL, or the bytes inside a `data:` one. No pattern over the whole: it may be many megabytes. */
function decodeUrl(url: string, at: string): MediaSource {
  if (!url.startsWith('data:')) return { type: 'url', url };
  const comma = url.indexOf(',');
  const [mimeType = '', ...options] = url.slice(5, comma).split(';');
  if (comma === -1 || options.at(-1) !== 'base64') throw badField(at, 'expected a data URL with base64 content');
  return { type: 'base64', data: url.slice(comma + 1), mimeType: mimeType || 'text/plain' };
}

/** A user's parts, less those that Chat has no form for. */
export function encodeParts(parts: readonly Part[], losses: Losses): WirePart[] {
  return parts.map((part) => encodePart(part, losses)).filter((part) => part !== undefined);
}

function encodePart(part: Part, losses: Losses): WirePart | undefined {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: part.text };
    case 'image':
      return encodeImage(part, losses);
    case 'audio':
      return encodeAudio(part, losses);
    case 'document':
      return encodeDocument(part, losses);
    default:
      return part.type === 'native' && part.dialect === 'chat' ? (part.value as WirePart) : lost(part, losses);
  }
}

function lost(part: Part, losses: Losses, reason = 'Chat has no such part'): undefined {
  losses.severe(part.at ?? 'messages', reason);
}

function encodeImage(part: ImagePart, losses: Losses): WirePart | undefined {
  const { source, detail } = part;
  if (source.type === 'file') return lost(part, losses, 'a file id means nothing to another provider');
  const url = urlOf(source);
  return url === undefined ? lost(part, losses) : { type: 'image_url', image_url: compact({ url, detail }) };
}

function urlOf(source: MediaSource): string | undefined {
  if (source.type === 'url') return source.url;
  return source.type === 'base64' ? `data:${source.mimeType};base64,${source.data}` : undefined;
}

const audioFormats: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
};

function encodeAudio(part: AudioPart, losses: Losses): WirePart | undefined {
  const { source } = part;
  if (source.type !== 'base64') return lost(part, losses, 'Chat takes sound as bytes only');
  const format = part.format ?? audioFormats[source.mimeType] ?? source.mimeType.replace(/^audio\//, '');
  return { type: 'input_audio', input_audio: { data: source.data, format } };
}

/** Bytes go as a file; text goes as text, under its title: Chat's files are PDFs. */
function encodeDocument(part: DocumentPart, losses: Losses): WirePart | undefined {
  const { source, title, context } = part;
  const at = part.at ?? 'messages';
  if (source.type === 'file') return lost(part, losses, 'a file id means nothing to another provider');
  if (source.type === 'url') return lost(part, losses, 'Chat takes no document by its address');
  if (part.citations === true) losses.minor(at, 'Chat cites no documents');
  if (source.type === 'text') {
    losses.minor(at, 'Chat has no text documents: sent as text');
    return { type: 'text', text: [title, context, source.text].filter(Boolean).join('\n\n') };
  }
  if (context !== undefined) losses.minor(at, 'Chat has no context of a document');
  const filename = part.filename ?? title ?? 'document.pdf';
  return { type: 'file', file: { filename, file_data: `data:${source.mimeType};base64,${source.data}` } };
}
