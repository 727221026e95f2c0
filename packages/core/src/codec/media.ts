/** What is known of a medium that a request names: its type by its address, its titles. */
import type { Part } from '../model/request.ts';

const extensions: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['pdf', 'application/pdf'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
]);

/** The media type that an address ends with, where it is a usual one. */
export function typeOfUrl(url: string): string | undefined {
  const extension = /\.([a-z0-9]{3,4})(?:[?#]|$)/i.exec(url)?.[1];
  return extensions.get(extension?.toLowerCase() ?? '');
}

/** What a document is called, for dialects that have text alone for it. */
export function titlesOf(part: Part): readonly string[] {
  return part.type === 'document' ? [part.title, part.context].filter((text) => text !== undefined) : [];
}
