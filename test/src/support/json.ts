/** Reading JSON of the wire, which may be anything: what is not of the shape that is asked for counts as absent. */

/** A JSON object of the wire. */
export type Wired = Readonly<Record<string, unknown>>;

/** An object; an empty one where there is none. */
export function object(value: unknown): Wired {
  return typeof value === 'object' && value !== null ? (value as Wired) : {};
}

/** The objects of a list; none where there is no list. */
export function list(value: unknown): readonly Wired[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}

/** A text; an empty one where there is none. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A count; 0 where there is none. */
export function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** The value of a JSON text, or nothing. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
