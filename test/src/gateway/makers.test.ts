/** Providers of one dialect behind one gateway: whose blobs are told apart, and what becomes of them when a client goes from one to the other. */
import type { Upstream } from '@streamglot/core';
import { compatible } from '@streamglot/providers';
import { route } from '@streamglot/routing';
import { describe, expect, test } from 'vitest';
import { Maker } from '../turns/maker.ts';
import { rows } from '../turns/rows.ts';
import { long } from '../turns/scripts.ts';
import { Player, talk } from './talk.ts';

const { speaker, strict } = rows.messages;
const [model, other] = strict.models;

/** Providers of the Messages dialect at addresses of their own, and one of another dialect. */
function world() {
  const makers = { one: maker('one'), two: maker('two') };
  const at = (name: 'one' | 'two') =>
    compatible({
      name,
      dialect: 'messages',
      baseURL: `http://${name}.test`,
      fetch: makers[name].fetch as typeof fetch,
    });
  const chat = compatible({ name: 'chat', dialect: 'chat', baseURL: 'http://chat.test/v1' });
  return { makers, providers: { one: at('one'), two: at('two'), chat } };
}

function maker(name: string): Maker {
  return new Maker({ name, strict, script: long });
}

type World = ReturnType<typeof world>;

/** The signature that a client gets of the first provider, behind a gateway of these models. */
async function signatureOf(models: (world: World) => object, more: object = {}): Promise<string> {
  const here = world();
  const gateway = talk({}, { providers: here.providers, models: models(here), authorize: 'host', ...more });
  const { path, body } = speaker.ask('m', speaker.user('Hi'), false);
  const { json } = await gateway.ask(path, body);
  const [thinking] = (json as { content: { signature: string }[] }).content;
  return here.makers.one.secrets.includes(thinking?.signature ?? '') ? 'raw' : (thinking?.signature.slice(0, 8) ?? '');
}

const first = `one/${model}`;
const stranger = (dialect?: Upstream['dialect']): Upstream => new Player(undefined, dialect);
const sealed = 'c3RyZWFt';

describe('what one of several providers made', () => {
  test.each<[string, (world: World) => object]>([
    ['with two providers of its dialect', () => ({ m: first, n: `two/${model}` })],
    ['with one deployment at each of two providers', () => ({ m: { targets: [first, `two/${model}`] } })],
    [
      'with two providers behind a router of the host’s own',
      ({ providers }) => ({
        m: route([providers.one.upstream(model), providers.two.upstream(model)]),
      }),
    ],
    ['with an upstream that may speak anything', () => ({ m: first, n: stranger() })],
    ['with an upstream of its dialect that may be anybody', () => ({ m: first, n: stranger('messages') })],
  ])('is bound to it %s', async (_name, models) => {
    expect(await signatureOf(models)).toBe(sealed);
    expect(await signatureOf(models, { perPrincipal: { maxInFlight: 9 } })).toBe(sealed);
  });

  test.each<[string, (world: World) => object]>([
    ['with one model', () => ({ m: first })],
    ['with two models of one provider', () => ({ m: first, n: `one/${other}` })],
    ['with two deployments at one provider', () => ({ m: { targets: [first, `one/${other}`] } })],
    ['with providers of two dialects', () => ({ m: first, n: 'chat/any' })],
    ['with an upstream of another dialect that may be anybody', () => ({ m: first, n: stranger('chat') })],
  ])('goes out raw %s', async (_name, models) => {
    expect(await signatureOf(models)).toBe('raw');
    expect(await signatureOf(models, { perPrincipal: { maxInFlight: 9 } })).toBe('raw');
  });
});

test.each([true, false])(
  'a Messages client goes from one provider to the other and back, streamed: %s',
  async (stream) => {
    const { makers, providers } = world();
    const models = { a: first, b: `two/${model}` };
    const gateway = talk({}, { providers, models });
    let history = speaker.user('How is the weather?');
    const step = async (name: string): Promise<string> => {
      const { path, body } = speaker.ask(name, history, stream);
      const client = await gateway.ask(path, body);
      const kept = speaker.keep(client.text, stream);
      history = [...history, ...kept, ...speaker.results(speaker.calls(kept))];
      return speaker.said(kept);
    };
    await step('a');
    await step('b');
    expect(await step('a')).toBe('Done.');
    expect([...makers.one.complaints, ...makers.two.complaints]).toEqual([]);
    const [own, theirs] = [makers.one.secrets, makers.two.secrets];
    expect(makers.two.bodies.filter((body) => own.some((secret) => body.includes(secret)))).toEqual([]);
    expect(makers.one.bodies.filter((body) => theirs.some((secret) => body.includes(secret)))).toEqual([]);
    expect(makers.one.bodies.at(-1)).toContain(own[0]);
    const told = gateway.events.flatMap((event) => (event.type === 'losses' ? event.losses : []));
    expect(told.filter(({ reason }) => reason.includes('another provider')).map(({ field }) => field)).toEqual([
      'messages[1].content[0]',
    ]);
  },
);
