/** Sources of a candidate's text: they come after it, in several frames, with offsets in UTF-8 bytes. */
import { asArray, asCount, asObject, asText, type Citation, compact, type JsonObject, Offsets } from '../../dialect.ts';

/** Characters of text that are kept to find offsets in; sources of longer texts have none. */
const MOST_TEXT = 1 << 20;
/** Sources of one candidate. */
const MOST_SOURCES = 4096;
/** Segments that are searched for because they do not stand where their offsets say. */
const MOST_SEARCHES = 256;

/** A place in the text, in code points of its block. */
type Place = Pick<Citation, 'start' | 'end' | 'unit'>;

/** Follows the text of one candidate and finds the citations in what is said about it. */
export class Grounding {
  #said: string[] = [];
  #length = 0;
  /** Where the block that is open begins, in characters. */
  #blockStart = 0;
  #chunks: readonly unknown[] = [];
  readonly #keep: (length: number) => void;
  readonly #seen = new Set<string>();
  #searches = 0;

  /** `keep` is told how many characters are kept. */
  constructor(keep: (length: number) => void) {
    this.#keep = keep;
  }

  /** A new block of text begins. */
  begin(): void {
    this.#blockStart = this.#length;
  }

  /** Text was said. */
  say(text: string): void {
    this.#length += text.length;
    if (this.#length <= MOST_TEXT) this.#said.push(text);
    else this.#said = [];
  }

  /** The citations in a candidate's metadata that are new. */
  read(candidate: JsonObject): readonly Citation[] {
    const found = [
      ...this.#supports(asObject(candidate.groundingMetadata)),
      ...this.#sources(asObject(candidate.citationMetadata)),
    ];
    return found.filter((citation) => this.#isNew(citation));
  }

  #isNew({ url, start, end, fileId, title }: Citation): boolean {
    const key = JSON.stringify([url, fileId, title, start, end]);
    if (this.#seen.has(key) || this.#seen.size >= MOST_SOURCES) return false;
    this.#seen.add(key);
    this.#keep(key.length);
    return true;
  }

  /** Chunks come all at once, again and longer, or one after another; the indexes count from the first one. */
  #supports(metadata: JsonObject | undefined): Citation[] {
    const fresh = asArray(metadata?.groundingChunks);
    const again = this.#chunks.every((chunk, nth) => JSON.stringify(chunk) === JSON.stringify(fresh[nth]));
    const known = again ? this.#chunks.length : 0;
    if (fresh.length > known) this.#keep(JSON.stringify(fresh.slice(known)).length);
    if (fresh.length > 0) this.#chunks = again ? fresh : [...this.#chunks, ...fresh].slice(0, MOST_SOURCES);
    const supports = asArray(metadata?.groundingSupports).slice(0, MOST_SOURCES);
    if (supports.length === 0) return [];
    const text = this.#text();
    return supports.flatMap((wire) => this.#support(asObject(wire) ?? {}, text));
  }

  #support(support: JsonObject, text: Offsets | undefined): Citation[] {
    const segment = asObject(support.segment) ?? {};
    const place = this.#placeOf(segment, text);
    return asArray(support.groundingChunkIndices).flatMap((index) => {
      const source = sourceOf(asObject(this.#chunks[asCount(index) ?? -1]));
      return source === undefined
        ? []
        : { ...source, ...place, ...compact({ citedText: asText(segment.text) }), native: support };
    });
  }

  #sources(metadata: JsonObject | undefined): Citation[] {
    const sources = [...asArray(metadata?.citations), ...asArray(metadata?.citationSources)].slice(0, MOST_SOURCES);
    if (sources.length === 0) return [];
    const text = this.#text();
    return sources.flatMap((wire) => {
      const source = asObject(wire) ?? {};
      const url = asText(source.uri);
      if (url === undefined) return [];
      const title = asText(source.title);
      return { kind: 'url', url, ...compact({ title }), ...this.#placeOf(source, text), native: wire };
    });
  }

  #text(): Offsets | undefined {
    return this.#length === 0 || this.#said.length === 0 ? undefined : new Offsets(this.#said.join(''));
  }

  /** Where a segment stands in the open block. */
  #placeOf(segment: JsonObject, text: Offsets | undefined): Place {
    const end = asCount(segment.endIndex);
    if (text === undefined || end === undefined) return {};
    const said = asText(segment.text);
    const [from, to] = text.between(asCount(segment.startIndex) ?? 0, end);
    if (said === undefined || text.text.slice(from, to) === said) return this.#inBlock(from, to, text);
    if (this.#searches++ >= MOST_SEARCHES) return {};
    const at = text.text.indexOf(said, this.#blockStart);
    return at === -1 ? {} : this.#inBlock(at, at + said.length, text);
  }

  #inBlock(from: number, to: number, text: Offsets): Place {
    if (from < this.#blockStart) return {};
    const before = text.codePoints(this.#blockStart);
    return { start: text.codePoints(from) - before, end: text.codePoints(to) - before, unit: 'codepoint' };
  }
}

/** What a grounding chunk is a piece of: a page, a file of the caller's, a place on a map. */
function sourceOf(chunk: JsonObject | undefined): Citation | undefined {
  const web = asObject(chunk?.web);
  const retrieved = asObject(chunk?.retrievedContext);
  const place = asObject(chunk?.maps);
  const found = web ?? retrieved ?? place;
  if (found === undefined) return undefined;
  const kind = web !== undefined ? 'url' : retrieved !== undefined ? 'file' : 'place';
  const fileId = retrieved === undefined ? undefined : (asText(found.documentName) ?? asText(found.fileSearchStore));
  return { kind, ...compact({ url: asText(found.uri), title: asText(found.title), fileId }) };
}
