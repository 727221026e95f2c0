/** The stand-in upstream is read rightly by the official clients: without that, nothing behind it would prove anything. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clients } from '../support/clients/index.ts';
import { Upstream } from '../support/upstream.ts';
import { canPlay, expectAnswer, expectFailure, play, scenesThat } from './cell.ts';

const answers = scenesThat(({ ending, refused }) => ending === 'whole' && refused === undefined);
const failures = scenesThat(({ ending }) => ending === 'error' || ending === 'torn' || ending === 'reset');
const refusals = scenesThat(({ refused }) => refused !== undefined);

let upstream: Upstream;
beforeAll(async () => {
  upstream = await Upstream.start();
});
afterAll(() => upstream.stop());

describe.each(clients)('the stand-in upstream, asked by $name', (client) => {
  const route = () => ({ base: upstream.url, upstream, from: client.dialect });

  for (const [name, scene] of answers.filter(([, scene]) => canPlay(client, scene)))
    test.concurrent(`is read rightly: ${name}`, async () => {
      expectAnswer(client, scene, route(), await play(client, scene, route()));
    });

  const seen = failures.filter(([, { ending }]) => !(client.skipsErrors && !client.whole && ending === 'error'));
  test.concurrent.each(seen)('is seen to fail: %s', async (_, scene) => {
    expectFailure(client, scene, (await play(client, scene, route())).seen);
  });

  test.concurrent.each(refusals)('is seen to refuse: %s', async (_, scene) => {
    const { seen } = await play(client, scene, route());
    expect(seen.error).toMatchObject({ status: scene.refused?.status });
  });
});
