/** One cell of the matrix: a client plays a scene, and both ends are looked at. */
import { expect } from 'vitest';
import { ownId } from '../support/carried.ts';
import type { Ask, Client, Seen } from '../support/clients/index.ts';
import { CUSTOM_TOOL, callsOf, joined, opaqueOf, type Scene, type SceneName, scenes, TOOL } from '../support/scenes.ts';
import type { Received, Upstream } from '../support/upstream.ts';
import { wireOf } from '../support/wire/index.ts';
import { NO_THREADS } from '../support/wire/messages.ts';
import { expectedAt, seenAs } from './expected.ts';

/** Where a client is pointed at, and who answers in the end. */
export interface Route {
  /** The root that the client's SDK gets. */
  base: string;
  upstream: Upstream;
  /** The dialect of the upstream. */
  from: string;
}

/** What happened. */
export interface Played {
  seen: Seen;
  received: readonly Received[];
}

let played = 0;

/** A client asks for a scene; the request's prompt holds a token of its own, by which the upstream finds it again. */
export async function play(
  client: Client,
  scene: Scene,
  { base, upstream }: Route,
  more?: Partial<Ask>,
): Promise<Played> {
  const token = `[cell ${++played}]`;
  const prompt = `What is the weather? ${token}`;
  const seen = await client.run({ base, model: scene.name, prompt, ...wishes(scene), ...more });
  return { seen, received: upstream.about(token) };
}

interface Wishes {
  tools: boolean;
  custom: boolean;
  loop: boolean;
  think: boolean;
  stop?: string[];
}

function wishes(scene: Scene): Wishes {
  const calls = scene.pieces.filter((piece) => piece.type === 'call');
  return {
    tools: calls.some(({ custom }) => !custom),
    custom: calls.some(({ custom }) => custom),
    loop: scene.after !== undefined,
    think: scene.pieces.some(({ type }) => type === 'reasoning' || type === 'redacted'),
    ...(scene.stopSequence !== undefined && { stop: [scene.stopSequence] }),
  };
}

/** The scenes of an ending, by name. */
export function scenesThat(wanted: (scene: Scene) => boolean): readonly [SceneName, Scene][] {
  return (Object.entries(scenes) as [SceneName, Scene][]).filter(([, scene]) => wanted(scene));
}

/**
 * Whether a client can play a scene: one that runs every call cannot stop at one, and only some run any. Structured
 * answers have clients of their own.
 */
export function canPlay(client: Client, scene: Scene): boolean {
  const { custom } = wishes(scene);
  const calls = scene.pieces.some((piece) => piece.type === 'call');
  if (scene.structured || (custom && !client.custom)) return false;
  if (client.dialect === 'responses' && scene.stopSequence !== undefined) return false;
  if (scene.after !== undefined) return client.loops !== 'never';
  return !calls || client.loops !== 'always' || scene.ending !== 'whole';
}

/** A whole answer was understood as it was meant, and the upstream was asked as its provider wants it. */
export function expectAnswer(client: Client, scene: Scene, route: Route, { seen, received }: Played): void {
  const { from } = route;
  const looped = scene.after !== undefined;
  expect(received[0]?.look).toMatchObject(asksFor(client, scene, from));
  expect(complaints(received, route)).toEqual(looped ? [undefined, undefined] : [undefined]);
  const expected = expectedAt({ scene, client, from, looped });
  if (expected.error !== undefined) return expect(seen.error?.name).toBe(expected.error);
  expect(seen.error).toBeUndefined();
  expect(seenAs(seen, expected)).toEqual(expected);
  expect(seen.model).toBe(client.namesNoModel ? undefined : scene.name);
  const ids = seen.calls.map(({ id }, call) => (id === undefined ? wireOf(from).callId(call) : ownId(id)));
  expect(ids.toSorted()).toEqual(ids.map((_, call) => wireOf(from).callId(call)));
  if (looped) expectHistory(client, scene, from, received.at(-1));
}

/** What the upstream must have been asked for so that it could play the scene at all. */
function asksFor({ loops, whole }: Client, scene: Scene, from: string): object {
  const { tools, custom, stop } = wishes(scene);
  const offered = [...(tools || loops === 'always' ? [TOOL] : []), ...(custom ? [CUSTOM_TOOL] : [])];
  return { stream: !whole, tools: offered, stops: wireOf(from).takesStops ? (stop ?? []) : [] };
}

/** What the upstream held against its requests. Asked directly, it turns a tool runner's thread down once: no fault. */
function complaints(received: readonly Received[], { base, upstream }: Route): (string | undefined)[] {
  const said = received.map(({ complaint }) => complaint);
  return base === upstream.url ? said.filter((complaint) => complaint !== NO_THREADS) : said;
}

/** The second turn brings every call and its result back, under the ids of the first. */
function expectHistory({ forgetsIds }: Client, scene: Scene, from: string, second: Received | undefined): void {
  const told = second?.look.calls ?? [];
  // Where the client forgot the ids and the upstream needs some, they are invented: of use is that they agree.
  const expected = expectedCalls(scene, from).map((call, at) => ({ ...call, ...(forgetsIds && { id: told[at]?.id }) }));
  expect(told).toEqual(expected);
  expect(second?.look.results.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  const cities = expected.map(({ input }) => (input as { city: string }).city);
  expect(second?.look.results.map(({ text }) => text)).toEqual(cities.map((city) => expect.stringContaining(city)));
  expect(second?.look.tools).toEqual([TOOL]);
  if (from !== 'chat') expect(second?.look.signatures).toEqual(opaqueOf(scene));
}

function expectedCalls(scene: Scene, from: string): { id: string; name: string; input: unknown }[] {
  return callsOf(scene).map((call, at) => ({ id: wireOf(from).callId(at), ...call }));
}

/** The client says that something failed, and shows what came before. */
export function expectFailure({ whole }: Client, scene: Scene, seen: Seen): void {
  expect(seen.error).toBeDefined();
  expect(seen.text).toBe(whole ? '' : joined(scene, 'text'));
}
