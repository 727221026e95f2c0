/** Whole answers for a client of their own dialect: what the upstream wrote, and what of that had to be set right. */
import type { DialectId, FrameEvents, Native } from '../model/event.ts';
import { asObject, type JsonObject } from './json.ts';

/** Lets all events of a whole answer share it, so that its own dialect can give it back; whoever rewrites one of them takes it from all. */
export function withOriginal(events: FrameEvents, dialect: DialectId, body: unknown): FrameEvents {
  const native: Native = { dialect, whole: body };
  return events.map((event) => (event.type === 'warning' ? event : { ...event, native }));
}

/**
 * What an upstream wrote, set right by what we would write: a member of another kind than ours becomes ours, one of the
 * `required` ones that is missing comes from ours, and so does every id, for ours are those that no other has. Everything
 * else stays, whether or not we know it.
 */
export function overlay(original: unknown, written: unknown, required: ReadonlySet<string>): unknown {
  if (Array.isArray(original) && Array.isArray(written))
    return original.length === written.length
      ? original.map((entry, at) => overlay(entry, written[at], required))
      : written;
  const theirs = asObject(original);
  const ours = asObject(written);
  if (theirs !== undefined && ours !== undefined) return overlaid(theirs, ours, required);
  return kindOf(original) === kindOf(written) ? original : written;
}

function overlaid(theirs: JsonObject, ours: JsonObject, required: ReadonlySet<string>): JsonObject {
  const whole = { ...theirs };
  for (const [name, value] of Object.entries(ours)) {
    const known = theirs[name];
    const isMissing = known === undefined || known === null || name === 'id';
    if (isMissing ? required.has(name) : value !== null)
      whole[name] = isMissing ? value : overlay(known, value, required);
  }
  return whole;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}
