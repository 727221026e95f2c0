/** Annotations of a text, whose offsets are UTF-8 bytes on this wire. */
import { asCount, asObject, asText, type Citation, compact, type JsonObject, Offsets } from '../../dialect.ts';

/** Characters of a stream's texts that are kept to find offsets in; sources in longer answers have none. */
const MOST_TEXT = 1 << 20;

/** The texts of the blocks that are open, for the places in them that are annotated. */
export class Said {
  readonly #texts = new Map<number, string[]>();
  #length = 0;
  #block = -1;
  #offsets: Offsets | undefined;

  /** Text was said in a block. */
  add(block: number, text: string): void {
    this.#length += text.length;
    if (this.#length > MOST_TEXT) return this.#texts.clear();
    const pieces = this.#texts.get(block);
    if (pieces === undefined) this.#texts.set(block, [text]);
    else pieces.push(text);
  }

  /** A block is over. */
  end(block: number): void {
    this.#texts.delete(block);
  }

  /** A place in code points, from one in bytes; nothing where the text is too long or the place is none. */
  place(block: number, start: number | undefined, end: number | undefined): Pick<Citation, 'start' | 'end' | 'unit'> {
    const pieces = end === undefined ? undefined : this.#texts.get(block);
    if (pieces === undefined || end === undefined) return {};
    const offsets = this.#offsetsOf(block, pieces);
    const [from, to] = offsets.between(start ?? 0, end);
    return { start: offsets.codePoints(from), end: offsets.codePoints(to), unit: 'codepoint' };
  }

  /** Many places of one text are told one after another. */
  #offsetsOf(block: number, pieces: string[]): Offsets {
    if (this.#offsets !== undefined && this.#block === block && pieces.length === 1) return this.#offsets;
    const text = pieces.join('');
    this.#texts.set(block, [text]);
    this.#block = block;
    this.#offsets = new Offsets(text);
    return this.#offsets;
  }
}

/** The source that an annotation names; nothing for those that name none. */
export function decodeAnnotation(annotation: JsonObject, block: number, said: Said): Citation | undefined {
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
    ...said.place(block, asCount(annotation.start_index), asCount(annotation.end_index)),
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
