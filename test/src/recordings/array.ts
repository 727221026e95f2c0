/** A stream that is one JSON array: its bytes by element, the same as server-sent events, and what a client has of it. */

const OPENING = '[{';
const CLOSING = ']}';

/** One chunk for each element; what stands before an element is with it, and the end of the array with the last one. */
export function byElement(bytes: Uint8Array): readonly Uint8Array[] {
  const ends = endsOf(bytes).slice(0, -1);
  return [...ends, bytes.length].map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
}

/** Where each element ends, in bytes: all marks are ASCII, and no byte of another character is. */
function endsOf(bytes: Uint8Array): number[] {
  const ends: number[] = [];
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < bytes.length; at++) {
    const mark = String.fromCharCode(bytes[at] ?? 0);
    if (quoted && mark === '\\') at++;
    else if (mark === '"') quoted = !quoted;
    else if (!quoted && OPENING.includes(mark)) depth++;
    else if (!quoted && CLOSING.includes(mark) && --depth === 1) ends.push(at + 1);
  }
  return ends;
}

/** The elements of a chunk as server-sent events, each on one line. */
export function asEvents(chunk: Uint8Array): string {
  return elementsIn(Buffer.from(chunk).toString('utf8'))
    .map((element) => `data: ${JSON.stringify(element)}\n\n`)
    .join('');
}

/** The elements of a piece of an array, whose brackets may be in other pieces. Throws where the piece is no JSON. */
export function elementsIn(piece: string): readonly unknown[] {
  const inner = piece.trim().replace(/^[[,]/, '');
  for (const text of [`[${inner}]`, `[${inner}`]) {
    try {
      return JSON.parse(text) as readonly unknown[];
    } catch {}
  }
  throw new Error(`no elements of an array: ${piece}`);
}
