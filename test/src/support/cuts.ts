/** Ways to cut the bytes of a stream into chunks; the random one is the same in every run. */

/** One chunk for each event: a cut after every blank line. */
export function byEvent(bytes: Uint8Array): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let from = 0;
  let lineStart = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte !== LF && byte !== CR) continue;
    const blank = at === lineStart;
    if (byte === CR && bytes[at + 1] === LF) at++;
    lineStart = at + 1;
    if (!blank) continue;
    chunks.push(bytes.subarray(from, lineStart));
    from = lineStart;
  }
  return from < bytes.length ? [...chunks, bytes.subarray(from)] : chunks;
}

const LF = 10;
const CR = 13;

/** Chunks of one size, the last one perhaps shorter. */
export function bySize(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

/** Chunks of 1 to `longest` bytes. */
export function atRandom(bytes: Uint8Array, seed: string, longest: number): readonly Uint8Array[] {
  const random = seeded(seed);
  const chunks: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = from + 1 + Math.floor(random() * longest);
    chunks.push(bytes.subarray(from, end));
    from = end;
  }
  return chunks;
}

/** Numbers from 0 up to 1 that depend on nothing but the seed (mulberry32 over FNV-1a, both public domain). */
function seeded(seed: string): () => number {
  let state = 2166136261;
  for (let at = 0; at < seed.length; at++) state = Math.imul(state ^ seed.charCodeAt(at), 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
