/** Annotations of a text, whose offsets are UTF-8 bytes on this wire. */
import { asCount, asObject, asText, type Citation, compact, type JsonObject, Offsets } from '../../dialect.ts';

/** Characters of text that are kept to find offsets in; sources of longer texts have none. */
const MOST_TEXT = 1 << 20;

/** The text of one block, for the places in it that are annotated. */
export class Said {
  #pieces: string[] = [];
  #length = 0;
  #offsets: Offsets | undefined;

  /** Text was said. */
  add(text: string): void {
    this.#length += text.length;
    this.#offsets = undefined;
    if (this.#length <= MOST_TEXT) this.#pieces.push(text);
    else this.#pieces = [];
  }

  /** A place in code points, from one in bytes; nothing where the text is too long or the place is none. */
  place(start: number | undefined, end: number | undefined): Pick<Citation, 'start' | 'end' | 'unit'> {
    if (end === undefined || this.#pieces.length === 0) return {};
    this.#offsets ??= new Offsets(this.#pieces.join(''));
    const [from, to] = this.#offsets.between(start ?? 0, end);
    return { start: this.#offsets.codePoints(from), end: this.#offsets.codePoints(to), unit: 'codepoint' };
  }
}

/** The source that an annotation names; nothing for those that name none. */
export function decodeAnnotation(annotation: JsonObject, said: Said): Citation | undefined {
  const kind = kinds.get(asText(annotation.type) ?? '');
  if (kind === undefined) return undefined;
  return {
    kind,
    ...compact({
      url: asText(annotation.url) ?? asText(annotation.document_uri),
      title: asText(annotation.title) ?? asText(annotation.name),
      filename: asText(annotation.file_name),
      fileId: asText(annotation.media_id),
    }),
    ...said.place(asCount(annotation.start_index), asCount(annotation.end_index)),
    native: annotation,
  };
}

const kinds: ReadonlyMap<string, Citation['kind']> = new Map<string, Citation['kind']>([
  ['url_citation', 'url'],
  ['file_citation', 'file'],
  ['place_citation', 'place'],
]);

/** A citation as an annotation: its own, or one that names the source of another dialect without the place. */
export function encodeAnnotation(citation: Citation, own: boolean): JsonObject | undefined {
  const native = own ? asObject(citation.native) : undefined;
  if (native !== undefined) return native;
  const { url, title, fileId, filename } = citation;
  if (url !== undefined) return compact({ type: 'url_citation', url, title });
  if (fileId === undefined && filename === undefined) return undefined;
  return compact({ type: 'file_citation', file_name: filename ?? title, media_id: fileId });
}
