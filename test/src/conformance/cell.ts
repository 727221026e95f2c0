/** One cell of the matrix: a client plays a scene, and both ends are looked at. */
import { expect } from 'vitest';
import type { Client, Seen } from '../support/clients/index.ts';
import { type Scene, type SceneName, scenes, TOOL } from '../support/scenes.ts';
import type { Received, Upstream } from '../support/upstream.ts';
import { wireOf } from '../support/wire/index.ts';
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
export async function play(client: Client, scene: Scene, { base, upstream }: Route): Promise<Played> {
  const token = `[cell ${++played}]`;
  const seen = await client.run({ base, model: scene.name, prompt: `What is the weather? ${token}`, ...wishes(scene) });
  return { seen, received: upstream.about(token) };
}

function wishes(scene: Scene): { tools: boolean; loop: boolean; think: boolean; stop?: string[] } {
  const has = (type: string) => scene.pieces.some((piece) => piece.type === type);
  return {
    tools: has('call'),
    loop: scene.after !== undefined,
    think: has('reasoning'),
    ...(scene.stopSequence !== undefined && { stop: [scene.stopSequence] }),
  };
}

/** The scenes of an ending, by name. */
export function scenesThat(wanted: (scene: Scene) => boolean): readonly [SceneName, Scene][] {
  return (Object.entries(scenes) as [SceneName, Scene][]).filter(([, scene]) => wanted(scene));
}

/** Whether a client can play a scene: one that runs every call cannot stop at one, and only some run any. */
export function canPlay(client: Client, scene: Scene): boolean {
  const calls = scene.pieces.some((piece) => piece.type === 'call');
  if (scene.after !== undefined) return client.loops !== 'never';
  return !calls || client.loops !== 'always' || scene.ending !== 'whole';
}

/** A whole answer was understood as it was meant, and the upstream was asked as its provider wants it. */
export function expectAnswer(client: Client, scene: Scene, { from }: Route, { seen, received }: Played): void {
  const looped = scene.after !== undefined;
  expect(received.map(({ complaint }) => complaint).filter((complaint) => complaint !== NO_THREADS)).toEqual(
    looped ? [undefined, undefined] : [undefined],
  );
  expect(seen.error).toBeUndefined();
  const expected = expectedAt({ scene, client, from, looped });
  expect(seenAs(seen, expected)).toEqual(expected);
  expect(seen.model).toBe(scene.name);
  const ids = seen.calls.map(({ id }, call) => id ?? wireOf(from).callId(call));
  expect(ids).toEqual(ids.map((_, call) => wireOf(from).callId(call)));
  if (looped) expectHistory(scene, from, received.at(-1));
}

const NO_THREADS = 'thread: not supported for this request';

/** The second turn brings every call and its result back, under the ids of the first. */
function expectHistory(scene: Scene, from: string, second: Received | undefined): void {
  const expected = expectedCalls(scene, from);
  expect(second?.look.calls).toEqual(expected);
  expect(second?.look.results.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  const cities = expected.map(({ input }) => (input as { city: string }).city);
  expect(second?.look.results.map(({ text }) => text)).toEqual(cities.map((city) => expect.stringContaining(city)));
  expect(second?.look.tools).toEqual([TOOL]);
}

function expectedCalls(scene: Scene, from: string): { id: string; name: string; input: unknown }[] {
  const calls = scene.pieces.filter((piece) => piece.type === 'call');
  return calls.map(({ call, name }) => ({
    id: wireOf(from).callId(call),
    name,
    input: JSON.parse(
      scene.pieces.map((piece) => (piece.type === 'input' && piece.call === call ? piece.json : '')).join(''),
    ),
  }));
}

/** The client says that something failed, and shows what came before. */
export function expectFailure(scene: Scene, seen: Seen): void {
  expect(seen.error).toBeDefined();
  const text = scene.pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');
  expect(seen.text).toBe(text);
}
