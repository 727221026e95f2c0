/** A stream as one JSON array over a socket, as a client gets it that asks without an SDK: element by element. */
import { dialects, type KnownDialect } from '@streamglot/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Arriving, ask } from '../express/serve.ts';
import { eventsOf } from '../support/events.ts';
import { GatewayApp } from '../support/gateway.ts';
import { list, object, text, type Wired } from '../support/json.ts';
import { joined, type Scene, type SceneName, scenes } from '../support/scenes.ts';
import { Upstream } from '../support/upstream.ts';
import { scenesThat } from './cell.ts';

const ids = Object.keys(dialects) as KnownDialect[];
const KEEP_ALIVE_MS = 40;

let upstream: Upstream;
const apps = new Map<KnownDialect, GatewayApp>();

beforeAll(async () => {
  upstream = await Upstream.start();
  const settings = { keepAliveMs: KEEP_ALIVE_MS };
  for (const id of ids) apps.set(id, await GatewayApp.start(upstream, id, { settings }));
});

afterAll(async () => {
  await Promise.all([...apps.values()].map((app) => app.stop()));
  await upstream.stop();
});

let asked = 0;

/** Asks for a stream in the framing that is the dialect's own; a scene of a test's own is played to this request only. */
function askFor(from: KnownDialect, scene: Scene, query = ''): Promise<Arriving> {
  const token = `[array ${++asked}]`;
  if (scene !== (scenes as Readonly<Record<string, Scene>>)[scene.name]) upstream.script(token, scene);
  const path = `/v1beta/models/${encodeURIComponent(scene.name)}:streamGenerateContent${query}`;
  return ask(`${apps.get(from)?.url}${path}`, { contents: [{ role: 'user', parts: [{ text: `Hi ${token}` }] }] });
}

function elementsOf(body: string): readonly Wired[] {
  return (JSON.parse(body) as unknown[]).map(object);
}

function textOf(elements: readonly Wired[]): string {
  const parts = elements.flatMap(({ candidates }) => list(object(list(candidates)[0]?.content).parts));
  return parts.map((part) => text(part.text)).join('');
}

const told = [
  'text',
  'multi-byte text in one-byte writes',
  'parallel tools',
  'reasoning',
  'citations',
] as const satisfies readonly SceneName[];
const broken = scenesThat(({ ending }) => !['whole', 'hang'].includes(ending));
const refusals = scenesThat(({ refused }) => refused !== undefined);

describe.each(ids)('an array over a %s upstream', (from) => {
  test.each(told)('has an element for each event of the same answer: %s', async (name) => {
    const array = await askFor(from, scenes[name]);
    expect([array.status, array.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    const body = await array.all();
    expect(body.trimStart()[0]).toBe('[');
    const events = eventsOf(await (await askFor(from, scenes[name], '?alt=sse')).all());
    const said = ({ candidates, usageMetadata }: Wired): object => ({ candidates, usageMetadata });
    expect(elementsOf(body).map(said)).toEqual(events.map(({ json }) => said(object(json))));
    expect(textOf(elementsOf(body))).toContain(joined(scenes[name], 'text'));
    expect(list(elementsOf(body).at(-1)?.candidates)[0]?.finishReason).toBe('STOP');
  });

  test('gives each element when it is due, and white space while nothing comes', async () => {
    const array = await askFor(from, scenes.hang);
    await array.until('" begins"');
    expect(textOf(elementsOf(`${array.text()}]`))).toBe(joined(scenes.hang, 'text'));
    await array.until('}\n');
    expect(textOf(elementsOf(`${array.text()}]`))).toBe(joined(scenes.hang, 'text'));
    array.abort();
  });

  test('gives white space before anything has come', async () => {
    const array = await askFor(from, { ...scenes.text, mute: true });
    await array.until('\n');
    expect([array.status, array.text().trim()]).toEqual([200, '']);
    array.abort();
  });

  test.each(broken)('is closed behind an error object: %s', async (_, scene) => {
    const elements = elementsOf(await (await askFor(from, scene)).all());
    const last = object(elements.at(-1)?.error);
    expect(last).toMatchObject({ code: expect.any(Number), status: expect.any(String), message: expect.any(String) });
    expect(last.code).toBeGreaterThanOrEqual(400);
    expect(textOf(elements)).toBe(joined(scene, 'text'));
  });

  test.each(refusals)('is none where the upstream refuses: %s', async (_, { refused }) => {
    const answer = await askFor(from, scenes[refused?.status === 429 ? 'rate limit' : 'bad key']);
    expect(answer.status).toBe(refused?.status);
    expect(JSON.parse(await answer.all())).toMatchObject({ error: { code: refused?.status } });
  });
});
