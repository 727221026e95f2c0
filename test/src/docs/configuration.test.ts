/** Every setting that the documentation names is one that the gateway knows and checks. */
import { readFileSync } from 'node:fs';
import { ConfigError, llmGateway } from '@streamglot/express';
import { replay } from '@streamglot/providers';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
const [table = ''] = page.split('## Providers');
const settings = [...table.matchAll(/^\| `([\w.]+)` /gm)].map(([, path = '']) => path);
const valid = { providers: { demo: replay() }, models: { fast: 'demo/scripted' } };

/** A configuration whose only mistake is at a path. */
function wrongAt(path: string): object {
  const [name = '', inner] = path.split('.');
  return { ...valid, [name]: inner === undefined ? 'not this' : { [inner]: 'not this' } };
}

test('the page names settings', () => {
  expect(settings).toContain('models');
  expect(settings).toContain('timeouts.silenceMs');
});

test.each(settings)('a wrong value of %s is refused at its path', (path) => {
  const refused = (): unknown => llmGateway(wrongAt(path) as never);
  expect(refused).toThrow(ConfigError);
  expect(refused).toThrow(path);
});
