/** What a stream holds while it runs: not the request, which is a whole conversation. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { delta, opening } from './play.ts';
import { names, scene } from './scene.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const turn = (): Promise<void> => new Promise((settle) => setImmediate(settle));

it.each(names)('a running stream of a %s client does not hold its request', async (name) => {
  const { play, client, done } = scene(name);
  await turn();
  const request = new WeakRef(play.calls.splice(0)[0]?.request ?? {});
  play.say(...opening, delta('Hello'));
  await turn();
  expect(client.text).toContain('Hello');
  collect();
  expect(request.deref()).toBeUndefined();
  play.tell('');
  await done;
});
