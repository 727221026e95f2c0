/** The configuration's page is the code's: every setting is named, checked, and has the default that its comment claims. */
import { ConfigError, llmGateway } from '@streamglot/express';
import { replay } from '@streamglot/providers';
import { expect, test } from 'vitest';
import { settings } from '../../../scripts/settings.mjs';

const valid = { providers: { demo: replay() }, models: { fast: 'demo/scripted' } };

/** A configuration whose only mistake is at a path. */
function wrongAt(path: string): object {
  const [name = '', inner] = path.split('.');
  return { ...valid, [name]: inner === undefined ? 'not this' : { [inner]: 'not this' } };
}

test('settings at the top and below are known', () => {
  const paths = settings().map(({ path }) => path);
  expect(paths).toContain('models');
  expect(paths).toContain('timeouts.silenceMs');
  expect(paths).toContain('store.ttlMs');
});

test.each(settings())('a wrong value of $path is refused at its path', ({ path }) => {
  const refused = (): unknown => llmGateway(wrongAt(path) as never);
  expect(refused).toThrow(ConfigError);
  expect(refused).toThrow(path);
});

test.each(settings().filter(({ claimed }) => claimed !== undefined))(
  'the comment of $path claims the default that holds',
  ({ value, claimed }) => {
    expect(claimed).toBe(value);
  },
);
