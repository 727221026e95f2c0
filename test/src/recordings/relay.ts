/** A stream for a client of its own dialect goes out as it came: every event name and every data string. */
import { isDeepStrictEqual } from 'node:util';
import { eventsOf, type SentEvent } from '../support/events.ts';
import { list, object, type Wired } from '../support/json.ts';
import type { Pair } from './compare.ts';

/** The first event that differs from what the upstream sent, if it should not. */
export function relayed(pair: Pair, upstream: string, output: string): string | undefined {
  const sent = eventsOf(upstream);
  const got = eventsOf(output);
  if (breaksHelper(pair, sent)) return undefined;
  const mended = 'failure' in pair.sent.accumulated && !('failure' in pair.got.accumulated);
  const same = (event: SentEvent, other: SentEvent | undefined): boolean =>
    event.name === other?.name && (event.data === other?.data || (mended && sameButKeys(pair.to, event, other)));
  const at = sent.findIndex((event, number) => !same(event, got[number]));
  if (at < 0 && sent.length === got.length) return undefined;
  const place = at < 0 ? sent.length : at;
  return `event ${place}: expected ${show(sent[place])}, got ${show(got[place])}`;
}

function show(event: SentEvent | undefined): string {
  return event === undefined ? 'none' : `${event.name ?? ''} ${event.data.slice(0, 80)}`;
}

/** The SDK's helper throws at a Chat choice without a role, and at one without a finish, so these are mended. */
function breaksHelper({ to, doneMarker, sent }: Pair, events: readonly SentEvent[]): boolean {
  if (to !== 'chat') return false;
  const roles = new Map<unknown, boolean>();
  for (const { json } of events)
    for (const choice of list(json?.choices)) {
      const role = object(choice.delta ?? choice.message).role;
      roles.set(choice.index ?? 0, roles.get(choice.index ?? 0) === true || Boolean(role));
    }
  return [...roles.values()].includes(false) || (doneMarker && sent.answers.some(({ end }) => end === undefined));
}

/** Where the original breaks the helper, the ids and indexes by which it tells things apart may be mended. */
function sameButKeys(dialect: string, sent: SentEvent, got: SentEvent | undefined): boolean {
  if (sent.json === undefined || got?.json === undefined) return false;
  return isDeepStrictEqual(withoutKeys(dialect, sent.json), withoutKeys(dialect, got.json));
}

const keys: Readonly<Record<string, ReadonlySet<string>>> = {
  chat: new Set(['index', 'type', 'id']),
  messages: new Set(['index', 'id']),
  responses: new Set(['output_index', 'item_id', 'id']),
  gemini: new Set(),
  interactions: new Set(['index']),
};

function withoutKeys(dialect: string, json: Wired): unknown {
  return JSON.parse(JSON.stringify(json), (key, value) => (keys[dialect]?.has(key) === true ? undefined : value));
}
