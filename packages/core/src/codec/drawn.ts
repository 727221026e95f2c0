/** Sampling options in a client's own body, for upstreams that take none. */
import type { JsonObject } from './json.ts';
import type { Losses } from './losses.ts';

/** The members without those that are named, each noted as a loss below `at`. */
export function withoutDrawing(members: JsonObject, names: readonly string[], losses: Losses, at = ''): JsonObject {
  const kept = { ...members };
  for (const name of names.filter((name) => kept[name] != null)) {
    delete kept[name];
    losses.minor(`${at}${name}`, 'the upstream takes no sampling options');
  }
  return kept;
}
