/** Small questions that every grammar asks, and the list of what was found wrong. */

/** The rules of one dialect's streams. */
export interface Grammar {
  /** What is wrong with a stream; nothing if it obeys. */
  violations(text: string): readonly string[];
  /** Whether a stream ends in an error and in nothing that reads as success. */
  fails(text: string): boolean;
}

/** A JSON object of the wire. */
export type Wired = Readonly<Record<string, unknown>>;

/** What was found wrong in one stream, each with the frame where it was. */
export class Report {
  readonly violations: string[] = [];
  /** Number of the frame that is looked at; absent after the last one. */
  frame: number | undefined;

  /** Notes a rule that does not hold; returns whether it does. */
  need(holds: boolean, rule: string): boolean {
    if (!holds) this.violations.push(this.frame === undefined ? rule : `frame ${this.frame}: ${rule}`);
    return holds;
  }
}

/** Whether it is a JSON object. */
export function isObject(value: unknown): value is Wired {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether it is a text that says something. */
export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Whether it is a count. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** The value of a JSON text, or nothing. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
