/** The law of many turns: any client in front of any upstream runs a tool loop with thinking on, and nobody gets a thing that another one made. */
import type { KnownDialect } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { play } from './loop.ts';
import { Maker, type MakerOptions, type Script } from './maker.ts';
import { rows } from './rows.ts';
import { hidden, long, scripts } from './scripts.ts';

const ids = Object.keys(rows) as KnownDialect[];
const pairs = ids.flatMap((client) => ids.map((upstream) => [client, upstream] as const));
const manners = [
  { stream: true, forgets: false },
  { stream: false, forgets: false },
  { stream: true, forgets: true },
  { stream: false, forgets: true },
] as const;

/** Chat upstreams sign calls in a member that a client of theirs has to keep; no gateway can help one that does not. */
const isKept = (client: KnownDialect, upstream: KnownDialect, forgets: boolean): boolean =>
  !(forgets && client === 'chat' && upstream === 'chat');

/** The dialects that have thinking behind a veil. */
const veils: ReadonlySet<KnownDialect> = new Set(['messages', 'responses']);

/** What belongs to a carrier, whatever it holds. */
const ours = /c3RyZWFtZ2xv|extra_content":\{"streamglot/;

function made(dialect: KnownDialect, script: Script, more: Partial<MakerOptions> = {}): Made {
  return { maker: new Maker({ name: 'one', strict: rows[dialect].strict, script, ...more }), dialect };
}

/** Another provider behind the same gateway, so that what the first one makes must be told apart. */
function unasked(dialect: KnownDialect): Made {
  return made(dialect, [], { name: 'two' });
}

interface Made {
  maker: Maker;
  dialect: KnownDialect;
}

/** What may become of a carrier on its way through a client. */
const changes: readonly [string, (json: string) => string][] = [
  ['of a later version', (json) => json.replaceAll('c3RyZWFtZ2xvdDE6', 'c3RyZWFtZ2xvdDI6')],
  ['cut short', (json) => json.replaceAll(/(c3RyZWFtZ2xvdDE6[a-zA-Z0-9]{40})[a-zA-Z0-9]+/g, '$1')],
];

/** Ids as servers have been seen to write them. */
const forms = {
  'with a name and a number': 'functions.get_weather:',
  'with a dash and a dot': 'chatcmpl-tool.',
};

describe.each(pairs)('%s in front of %s', (client, upstream) => {
  const [model] = rows[upstream].strict.models;

  test.each(Object.entries(scripts))('comes to the end of %s', async (_name, script) => {
    for (const manner of manners.filter(({ forgets }) => isKept(client, upstream, forgets))) {
      const makers = { one: made(upstream, script) };
      const { said, steps } = await play({ client, ...manner, models: [`one/${model}`], makers });
      expect([said, steps]).toEqual(['Done.', script.length]);
      expect(makers.one.maker.bodies.join('\n')).not.toMatch(ours);
    }
  });

  test.each(veils.has(upstream) ? [[hidden]] : [])('keeps thinking that nobody may read', async (script) => {
    for (const manner of manners) {
      const makers = { one: made(upstream, script) };
      const { said } = await play({ client, ...manner, models: [`one/${model}`], makers });
      expect(said).toBe('Done.');
    }
  });

  test('lets a model of another family make the next steps', async () => {
    const [, other] = rows[upstream].strict.models;
    for (const manner of manners.filter(({ forgets }) => isKept(client, upstream, forgets)))
      for (const rest of client === upstream ? [{}, { two: unasked(upstream) }] : [{}]) {
        const makers = { one: made(upstream, long, { shares: client === upstream }), ...rest };
        const { said } = await play({ client, ...manner, models: [`one/${model}`, `one/${other}`], makers });
        expect(said).toBe('Done.');
        expect(makers.one.maker.bodies.join('\n')).not.toMatch(ours);
      }
  });

  test.each(ids)('lets %s of another provider make the next steps', async (next) => {
    for (const manner of manners.filter(({ forgets }) => isKept(client, next, forgets))) {
      const makers = { one: made(upstream, long), two: made(next, long, { name: 'two' }) };
      const models = [`one/${model}`, `two/${rows[next].strict.models[0]}`];
      const { said, losses } = await play({ client, ...manner, models, makers });
      expect(said).toBe('Done.');
      const told = makers.two.maker.bodies.join('\n');
      for (const secret of makers.one.maker.secrets) expect(told).not.toContain(secret);
      expect(told).not.toMatch(ours);
      if (makers.one.maker.secrets.length > 0 && (client !== upstream || client === next))
        expect(losses.join('\n')).toMatch(/another provider/);
    }
  });

  test.each(changes)('sends no carrier on that is %s', async (_what, edit) => {
    for (const manner of manners.filter(({ forgets }) => isKept(client, upstream, forgets))) {
      const makers = { one: made(upstream, long, { forgives: true }), two: unasked(client) };
      const { said, losses } = await play({ client, ...manner, models: [`one/${model}`], makers, edit });
      expect(said).toBe('Done.');
      expect(makers.one.maker.bodies.join('\n')).not.toMatch(ours);
      expect(losses.join('\n')).toMatch(/cut or changed/);
    }
  });

  /** The Messages API gives ids that are legal everywhere. */
  test.each(upstream === 'messages' ? [] : Object.entries(forms))('takes ids of calls %s', async (_what, form) => {
    for (const manner of manners.filter(({ forgets }) => isKept(client, upstream, forgets))) {
      const makers = { one: made(upstream, long, { renamed: named(form) }) };
      const { said } = await play({ client, ...manner, models: [`one/${model}`], makers });
      expect(said).toBe('Done.');
    }
  });

  test.each(upstream === 'messages' ? [] : ids)(
    'lets %s take ids of calls that are longer than it gives them',
    async (next) => {
      for (const manner of manners.filter(({ forgets }) => isKept(client, next, forgets))) {
        const renamed = named(`call-${'0123456789'.repeat(7)}.`);
        const makers = { one: made(upstream, long, { renamed }), two: made(next, long, { name: 'two' }) };
        const models = [`one/${model}`, `two/${rows[next].strict.models[0]}`];
        const { said } = await play({ client, ...manner, models, makers });
        expect(said).toBe('Done.');
      }
    },
  );
});

/** Gives the ids of all calls another form. */
function named(form: string): (json: string) => string {
  return (json) => json.replaceAll(/(?:call_q0Zt|call_|fc-9k|fc-3t)(\d)"/g, (_, number) => `${form}${number}"`);
}
