/** Mistakes in a configuration: found at start-up, named by path, with the fix. */
import { ConfigError, createGateway, defineConfig } from '@streamglot/gateway';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { Play, providerOf } from './play.ts';

const play = providerOf(new Play());
const keyed = providerOf(new Play(), true);

function mistake(config: unknown): ConfigError {
  try {
    createGateway(config as Parameters<typeof createGateway>[0]);
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown;
    throw thrown;
  }
  throw new Error('the configuration was accepted');
}

describe('a configuration', () => {
  it.each([
    ['no models', { providers: { play } }, 'models', 'expected models by name'],
    ['a misspelt provider', { providers: { play }, models: { m: 'paly/x' } }, 'models.m', 'providers has play'],
    ['a target without a model', { providers: { play }, models: { m: 'play/' } }, 'models.m', '<provider>/<model>'],
    ['a target without a provider', { providers: { play }, models: { m: 'x' } }, 'models.m', '<provider>/<model>'],
    ['a provider that every object has', { providers: { play }, models: { m: 'toString/x' } }, 'models.m', 'providers'],
    ['no providers', { models: { m: 'play/x' } }, 'models.m', 'providers is empty'],
    ['something else as a model', { providers: { play }, models: { m: 7 } }, 'models.m', 'maxOutputTokens'],
    [
      'a wrong number',
      { providers: { play }, models: { m: { target: 'play/x', maxOutputTokens: 0 } } },
      'models.m.maxOutputTokens',
      'above 0',
    ],
    ['no targets', { providers: { play }, models: { m: { targets: [] } } }, 'models.m.targets', 'at least one'],
    [
      'a misspelt provider among several',
      { providers: { play }, models: { m: { targets: ['play/a', 'paly/b'] } } },
      'models.m.targets.1',
      'providers has play',
    ],
    [
      'a wrong share',
      { providers: { play }, models: { m: { targets: [{ target: 'play/a', weight: 0 }] } } },
      'models.m.targets.0.weight',
      'above 0',
    ],
    [
      'a misspelt setting of a place',
      { providers: { play }, models: { m: { targets: [{ target: 'play/a', wieght: 1 }] } } },
      'models.m.targets.0.wieght',
      'spelling',
    ],
    [
      'a policy that there is not',
      { providers: { play }, models: { m: { targets: ['play/a'], policy: 'fastest' } } },
      'models.m.policy',
      '"least-in-flight"',
    ],
    [
      'a misspelt setting of routes',
      { providers: { play }, models: { m: { targets: ['play/a'], route: { attempt: 2 } } } },
      'models.m.route.attempt',
      'spelling',
    ],
    [
      'half a rule',
      { providers: { play }, models: { m: { targets: ['play/a'], route: { rules: [{ when: {} }] } } } },
      'models.m.route.rules.0',
      '"fail-over"',
    ],
    [
      'a wrong way to part',
      { providers: { play }, models: { m: { target: 'play/a', onDisconnect: 'stay' } } },
      'models.m.onDisconnect',
      '"cancel" or "drain"',
    ],
    [
      'a wrong limit of principals',
      { models: {}, perPrincipal: { maxInFlight: 0 } },
      'perPrincipal.maxInFlight',
      'above 0',
    ],
    [
      'an upstream of unknown worth among several',
      { providers: { play }, models: { m: { targets: ['play/a', new Play()] } } },
      'authorize',
      '"m"',
    ],
    ['something else as a provider', { providers: { play: {} }, models: {} }, 'providers.play', 'openai('],
    ['a misspelt setting', { models: {}, authorise: 'host' }, 'authorise', 'spelling'],
    ['a misspelt timeout', { models: {}, timeouts: { total: 5 } }, 'timeouts.total', 'spelling'],
    ['a negative time', { models: {}, timeouts: { totalMs: -5 } }, 'timeouts.totalMs', 'above 0'],
    ['a wrong policy', { models: {}, losses: 'ignore' }, 'losses', '"warn", "drop" or "reject"'],
    ['a wrong authorize', { models: {}, authorize: true }, 'authorize', '"host"'],
    ['something else as a store', { models: {}, store: true }, 'store', 'ttlMs'],
    ['half a store', { models: {}, store: { keep: () => {}, find: () => {} } }, 'store.keep', 'spelling'],
    ['a wrong limit of the store', { models: {}, store: { ttlMs: 0 } }, 'store.ttlMs', 'above 0'],
    ['a wrong name of principals', { models: {}, principalId: 'id' }, 'principalId', 'function'],
    ['a wrong summary', { models: {}, reasoningSummary: 'long' }, 'reasoningSummary', '"none"'],
    ['a wrong encoding', { models: {}, encoding: { responsesDone: 1 } }, 'encoding.responsesDone', 'true or false'],
    ['a wrong observer', { models: {}, observe: 'console' }, 'observe', 'function'],
    ['keys and nobody who asks for one', { providers: { keyed }, models: {} }, 'authorize', '"keyed"'],
    ['an upstream of unknown worth', { models: { m: new Play() } }, 'authorize', '"m"'],
  ])('with %s is refused', (_, config, path, words) => {
    const found = mistake(config);
    expect(found.path).toBe(path);
    expect(found.message).toMatch(new RegExp(`^${path.replaceAll('.', '\\.')}: `));
    expect(found.message).toContain(words);
  });

  it('with keys is accepted once somebody looks after them', () => {
    createGateway({ providers: { keyed }, models: { m: 'keyed/x' }, authorize: 'host' });
    createGateway({ providers: { keyed }, models: { m: 'keyed/x' }, authorize: () => 'someone' });
  });

  it('without keys needs nobody to look after them', () => {
    createGateway({ providers: { play }, models: { m: 'play/x' } });
  });

  it('may switch deadlines off', () => {
    createGateway({ providers: { play }, models: {}, timeouts: { totalMs: Number.POSITIVE_INFINITY } });
  });

  it('is checked where it is defined', () => {
    expect(() => defineConfig({ providers: { play }, models: { m: 'play/' } })).toThrow(ConfigError);
  });

  it('has types that know its providers and its principals', () => {
    const config = defineConfig({
      providers: { play, keyed },
      models: { a: 'play/x', b: { target: 'keyed/y', maxOutputTokens: 5 } },
      authorize: async () => ({ user: 'u1' }),
      observe: (event) => {
        if (event.type === 'request') expectTypeOf(event.principal).toEqualTypeOf<{ user: string } | undefined>();
      },
    });
    expect(Object.keys(config.models)).toEqual(['a', 'b']);
    // @ts-expect-error a misspelt provider
    expect(() => defineConfig({ providers: { play }, models: { a: 'paly/x' } })).toThrow(ConfigError);
    // @ts-expect-error a misspelt provider in a model with settings
    expect(() => createGateway({ providers: { play }, models: { a: { target: 'paly/x' } } })).toThrow(ConfigError);
  });
});
