/** The newest SDKs are those that judge: each says its version to the provider. */
import ai from 'ai/package.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { clients } from '../src/support/clients/index.ts';
import { Upstream } from '../src/support/upstream.ts';
import manifest from './package.json' with { type: 'json' };

const { dependencies } = manifest;

/** What each client calls itself. */
const names: Readonly<Record<string, string>> = {
  openai: `OpenAI/JS ${dependencies.openai}`,
  'openai responses': `OpenAI/JS ${dependencies.openai}`,
  'ai-sdk openai': `ai-sdk-openai/${dependencies['@ai-sdk/openai']}`,
  'ai-sdk responses': `ai-sdk-openai/${dependencies['@ai-sdk/openai']}`,
  'ai-sdk openai-compatible': `ai-sdk-openai-compatible/${dependencies['@ai-sdk/openai-compatible']}`,
  'ai-sdk anthropic': `ai-sdk-anthropic/${dependencies['@ai-sdk/anthropic']}`,
  genai: `google-genai-sdk/${dependencies['@google/genai']}`,
  'ai-sdk google': `ai-sdk-google/${dependencies['@ai-sdk/google']}`,
  'agents chat': dependencies['@openai/agents'],
};

test.each(Object.entries(names))('%s is the newest', async (name, word) => {
  const upstream = await Upstream.start();
  const client = clients.find((one) => one.name === name);
  const seen = await client?.run({ base: upstream.url, model: 'text', prompt: 'Hi' });
  expect(seen?.error).toBeUndefined();
  const [agent] = upstream.received.map(({ headers }) => headers['user-agent']);
  expect(agent).toContain(word);
  await upstream.stop();
});

test('the AI SDK and the runtime are as new as the others', () => {
  expect(ai.version).toBe(dependencies.ai);
  expect(Number.parseInt(process.versions.node, 10)).toBeGreaterThanOrEqual(22);
});
