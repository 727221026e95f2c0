/** Healthy streams with one member damaged in all events of a kind: left out, null, or of another type. */
import { isObject } from '../support/grammar/report.ts';

/** A JSON object of the wire. */
export type Wire = Record<string, unknown>;

/** One kind of damage, and the stream that has it. */
export interface Ablation {
  /** The kind of event and the path of the member, as in `response.output_item.added message: item.status`. */
  readonly name: string;
  readonly kind: string;
  readonly path: string;
  readonly events: readonly Wire[];
}

/** Says what an event is, as finely as its members differ. */
export type KindOf = (event: Wire) => string;

const ways: Readonly<Record<string, (holder: Wire, member: string) => void>> = {
  missing: (holder, member) => {
    delete holder[member];
  },
  null: (holder, member) => {
    holder[member] = null;
  },
  'of another type': (holder, member) => {
    holder[member] = other(holder[member]);
  },
};

function other(value: unknown): unknown {
  if (typeof value === 'string') return 7;
  if (typeof value === 'number') return 'seven';
  return Array.isArray(value) ? {} : 'a text';
}

/** Every member of every kind of event, damaged in every way. */
export function ablations(events: readonly Wire[], kindOf: KindOf): Ablation[] {
  const places = new Map<string, Set<string>>();
  for (const event of events) {
    const kind = kindOf(event);
    const known = places.get(kind) ?? new Set();
    places.set(kind, known);
    for (const path of pathsOf(event)) known.add(path);
  }
  return [...places].flatMap(([kind, paths]) => [...paths].flatMap((path) => ablation(events, kindOf, kind, path)));
}

function ablation(events: readonly Wire[], kindOf: KindOf, kind: string, path: string): Ablation[] {
  return Object.entries(ways).map(([way, damage]) => ({
    name: `${kind}: ${path} ${way}`,
    kind,
    path,
    events: events.map((event) => (kindOf(event) === kind ? damaged(event, path.split('.'), damage) : event)),
  }));
}

/** The paths of an event's members; `*` stands for every entry of a list. */
function pathsOf(value: unknown): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap(pathsOf))].map((path) => `*.${path}`);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...pathsOf(inner).map((path) => `${name}.${path}`)]);
}

function damaged(event: Wire, path: readonly string[], damage: (holder: Wire, member: string) => void): Wire {
  const copy = structuredClone(event);
  for (const holder of holdersOf(copy, path.slice(0, -1))) {
    const member = path.at(-1) as string;
    if (member in holder) damage(holder, member);
  }
  return copy;
}

function holdersOf(value: unknown, [step, ...rest]: readonly string[]): Wire[] {
  if (step === undefined) return isObject(value) ? [value] : [];
  if (step === '*') return Array.isArray(value) ? value.flatMap((inner) => holdersOf(inner, rest)) : [];
  return isObject(value) ? holdersOf(value[step], rest) : [];
}
