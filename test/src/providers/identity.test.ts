/** Who a provider is, as clients are told in what they carry. */
import { expect, test } from 'vitest';
import { identityOf } from '../../../packages/providers/src/identity.ts';

const at = (name: string, base: string, headers: Record<string, string> = {}): string =>
  identityOf({ name, base: new URL(base), headers });

test.each([
  ['openai', 'https://api.openai.com/v1'],
  ['anthropic', 'https://api.anthropic.com/v1'],
  ['gemini', 'https://generativelanguage.googleapis.com/v1beta'],
])('%s is itself at its own address, whatever the path', (name, base) => {
  expect(at(name, base)).toBe(name);
  expect(at(name, new URL(base).origin)).toBe(name);
});

test.each([
  ['another address', 'openai', 'https://proxy.test/v1', {}],
  ['a look-alike', 'compatible', 'https://api.openai.com/v1', {}],
  ['an account', 'openai', 'https://api.openai.com/v1', { 'openai-organization': 'org-secret' }],
  ['a project', 'openai', 'https://api.openai.com/v1', { 'openai-project': 'proj-secret' }],
  ['a server on this machine', 'compatible', 'http://127.0.0.1:8000/v1', {}],
  ['another one', 'compatible', 'http://127.0.0.1:8001/v1', {}],
])('%s has an identity of its own that says nothing of where it is', (_what, name, base, headers) => {
  const identity = at(name, base, headers);
  expect(identity).toMatch(new RegExp(`^${name}-[a-z0-9]{22}$`));
  expect(identity).not.toBe(at(name, 'https://elsewhere.test/v1'));
  for (const other of ['http://127.0.0.1:8001/v1', 'http://127.0.0.1:8000/v1'].filter((other) => other !== base))
    expect(identity).not.toBe(at(name, other, headers));
  expect(at(name, `${base}/more`, headers)).toBe(identity);
});

test('a key is no part of it: keys are renewed', () => {
  const base = 'https://proxy.test/v1';
  expect(at('openai', base, { authorization: 'Bearer a' })).toBe(at('openai', base, { authorization: 'Bearer b' }));
});
