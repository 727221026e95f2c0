/** Sources that other dialects cite: named by their addresses, and placed by the bytes of the candidate's text. */
import { type Citation, type JsonObject, type Limits, Pieces } from '../../dialect.ts';

/** The text of a candidate, which is kept as long as it is within the limits. */
export class Said {
  readonly #limit: number;
  readonly #pieces = new Pieces();
  /** In characters, also of what is not kept. */
  length = 0;

  constructor({ maxAccumulatedBytes }: Limits) {
    this.#limit = maxAccumulatedBytes;
  }

  add(text: string): void {
    this.length += text.length;
    if (this.length <= this.#limit) this.#pieces.add(text);
  }

  /** All of it, or nothing where it is too long. */
  get text(): string | undefined {
    return this.length <= this.#limit ? this.#pieces.text : undefined;
  }
}

/** What a candidate cites. */
export class Sources {
  readonly #chunks = new Map<string, JsonObject>();
  readonly #supports: JsonObject[] = [];

  /** Takes a citation in a block that begins at a character of the candidate's text; says whether its place is told too. */
  add(citation: Citation, said: string | undefined, blockStart: number): boolean {
    const { url, title, kind } = citation;
    if (url === undefined) return false;
    this.#chunks.set(url, { web: { uri: url, title: title ?? url } });
    const segment = kind === 'url' ? segmentOf(citation, said, blockStart) : undefined;
    if (segment === undefined) return false;
    this.#supports.push({ segment, groundingChunkIndices: [[...this.#chunks.keys()].indexOf(url)] });
    return true;
  }

  /** The member of a candidate that names them. */
  get members(): JsonObject {
    if (this.#chunks.size === 0) return {};
    const groundingSupports = this.#supports.length > 0 ? { groundingSupports: this.#supports } : {};
    return { groundingMetadata: { groundingChunks: [...this.#chunks.values()], ...groundingSupports } };
  }
}

/** The place in bytes, where it can be told for certain: without a unit, up to the first character that is two to some. */
function segmentOf(citation: Citation, text: string | undefined, blockStart: number): JsonObject | undefined {
  const { start, end, unit } = citation;
  if (text === undefined || start === undefined || end === undefined || start >= end) return undefined;
  const block = text.slice(blockStart);
  const places = placesIn(block, start, end, unit);
  if (places === undefined) return undefined;
  const [from, to] = places;
  const startIndex = bytesOf(text.slice(0, blockStart + from));
  const cited = block.slice(from, to);
  return { startIndex, endIndex: startIndex + bytesOf(cited), text: cited };
}

function placesIn(block: string, start: number, end: number, unit: Citation['unit']): [number, number] | undefined {
  const isPlain = !/[\ud800-\udfff]/.test(block.slice(0, end));
  if (unit === 'utf16' || (isPlain && (unit === undefined || unit === 'codepoint')))
    return end <= block.length ? [start, end] : undefined;
  if (unit !== 'codepoint') return undefined;
  const points = [...block];
  if (end > points.length) return undefined;
  const lengthOf = (count: number): number => points.slice(0, count).join('').length;
  return [lengthOf(start), lengthOf(end)];
}

function bytesOf(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
