/** The principal that `authorize` gives is the one that everybody else is told of; the compiler is the judge. */
import { type AuthorizeRequest, defineConfig, type GatewayEvent } from '@streamglot/gateway';
import { replay } from '@streamglot/providers';
import { expect, expectTypeOf, test } from 'vitest';

interface Member {
  id: string;
  plan: 'free' | 'paid';
}

const base = { providers: { demo: replay() }, models: { fast: 'demo/one' } } as const;
const member: Member = { id: 'm', plan: 'free' };

test('observers and the store see what authorize returns', () => {
  const config = defineConfig({
    ...base,
    authorize: (request) => {
      expectTypeOf(request).toEqualTypeOf<AuthorizeRequest>();
      return request.key === 'known' ? member : undefined;
    },
    principalId: (principal) => {
      expectTypeOf(principal).toEqualTypeOf<Member | undefined>();
      return principal?.id;
    },
    observe: (event) => {
      expectTypeOf(event).toEqualTypeOf<GatewayEvent<Member>>();
      if (event.type === 'ending') expectTypeOf(event.principal).toEqualTypeOf<Member | undefined>();
    },
  });
  expect(config.principalId?.(member)).toBe('m');
});

test('authorize may take its time', () => {
  const config = defineConfig({
    ...base,
    authorize: async ({ key }) => (key === 'known' ? member : undefined),
    observe: (event) => {
      if (event.type === 'request') expectTypeOf(event.principal).toEqualTypeOf<Member | undefined>();
    },
  });
  expect(config.observe).toBeTypeOf('function');
});

test('a host that stands in front gives none', () => {
  defineConfig({
    ...base,
    authorize: 'host',
    observe: (event) => {
      if (event.type === 'request') expectTypeOf(event.principal).toBeUnknown();
    },
  });
  // @ts-expect-error: there is no other word
  expect(() => defineConfig({ ...base, authorize: 'nobody' })).toThrow('authorize');
});

test('nothing of a principal is there that authorize did not give', () => {
  defineConfig({
    ...base,
    authorize: () => member,
    // @ts-expect-error: a member has no name
    principalId: (principal) => principal?.name,
  });
});
