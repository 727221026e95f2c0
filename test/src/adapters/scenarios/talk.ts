/** Official SDKs of every dialect understand what comes through a host. */
import { expectAnswer, expectFailure, play } from '../../conformance/cell.ts';
import { type Client, clientsOf } from '../../support/clients/index.ts';
import { type SceneName, scenes } from '../../support/scenes.ts';
import { type Id, ids, type Place, type Scenario, within } from '../scenario.ts';

/** The judges: of each dialect one that reads the raw stream, one that accumulates, and one of another vendor. */
const judges: Readonly<Record<Id, readonly string[]>> = {
  chat: ['openai', 'openai .stream()', 'ai-sdk openai'],
  messages: ['anthropic', 'anthropic .stream()', 'ai-sdk anthropic'],
  responses: ['openai responses', 'openai responses.stream()', 'ai-sdk responses'],
  interactions: ['genai interactions', 'ai-sdk interactions'],
  gemini: ['genai', 'genai chat', 'ai-sdk google'],
};

function judgesOf(id: Id, whole: boolean): readonly Client[] {
  const found = clientsOf(id).filter(({ name }) => judges[id].includes(name.replace(', whole', '')));
  return found.filter((client) => (client.whole === true) === whole);
}

/** Every judge plays every scene, all at once. */
async function all(at: Place, id: Id, whole: boolean, names: readonly SceneName[]): Promise<void> {
  const plays = judgesOf(id, whole).flatMap((client) => names.map((name) => played(at, client, name)));
  await within(Promise.all(plays), 'what the SDKs read');
}

async function played(at: Place, client: Client, name: SceneName): Promise<void> {
  const route = { base: at.url, upstream: at.upstream, from: 'chat' };
  const scene = scenes[name];
  const looped = 'after' in scene && client.loops === 'never' ? scenes['parallel tools'] : scene;
  const more = at.fetch && { fetch: at.fetch };
  if (scene.ending === 'whole')
    return expectAnswer(client, looped, route, await play(client, looped, route, { ...more }));
  expectFailure(client, scene, (await play(client, scene, route, { ...more })).seen);
}

/** What SDKs must understand on every host. */
export const talk: readonly Scenario[] = ids.flatMap((id) => [
  { name: `${id}: text`, run: (at) => all(at, id, false, ['text']) },
  { name: `${id}: tools`, run: (at) => all(at, id, false, ['parallel tools', 'two-turn tool loop']) },
  { name: `${id}: whole answers`, run: (at) => all(at, id, true, ['text', 'two-turn tool loop']) },
  { name: `${id}: failed streams`, run: (at) => all(at, id, false, ['error mid-stream', 'upstream cut']) },
]);

/** What a host with compression must let through untouched. */
export const compressed: Scenario = {
  name: 'compression: SDKs read all',
  setup: { compressed: true },
  run: async (at) => {
    for (const id of ids) {
      await all(at, id, false, ['text', 'upstream cut']);
      await all(at, id, true, ['text']);
    }
  },
};
