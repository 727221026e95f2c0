/** Every fault case gives the right result in every dialect, wherever its bytes are cut. */
import { dialects, type KnownDialect } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { atRandom, bySize } from '../support/cuts.ts';
import { withoutData } from '../support/data.ts';
import { cases, type FaultCase, isPresent } from './cases.ts';
import { wrongs } from './judge.ts';
import { isQuiet, translate } from './translate.ts';

if (!isPresent) console.log(withoutData('faults', 'faults/cases'));

const known = Object.keys(dialects) as KnownDialect[];
const pairs = cases
  .filter(({ from }) => known.includes(from as KnownDialect))
  .flatMap((fault) => targetsOf(fault).map((to) => [fault.id, fault.from, to, fault] as const));

/** All dialects, not only those for which the case asks; but several answers can be asked for in Chat alone. */
function targetsOf({ request, to }: FaultCase): readonly KnownDialect[] {
  return request?.n === undefined ? known : known.filter((dialect) => to.includes(dialect));
}

const RANDOM_CUTS = 20;
const longest = [3, 17, 64, 300] as const;
/** A giant case is cut less often, and into larger pieces. */
const GIANT = 100_000;

function cutsOf({ id, chunks }: FaultCase): readonly (readonly Uint8Array[])[] {
  const bytes = Buffer.concat(chunks);
  const [random, scale] = bytes.length > GIANT ? [3, 4096] : [RANDOM_CUTS, 1];
  const cuts = Array.from({ length: random }, (_, at) =>
    atRandom(bytes, `${id} ${at}`, (longest[at % longest.length] ?? 1) * scale),
  );
  return [chunks, bySize(bytes, scale), ...cuts];
}

describe.runIf(isPresent)('fault cases', () => {
  test('are all there', () => {
    const mandatory = pairs.filter(([, , to, fault]) => fault.to.includes(to));
    expect(cases.length).toBeGreaterThanOrEqual(168);
    expect(mandatory.length).toBeGreaterThanOrEqual(known.length > 2 ? 336 : 201);
  });

  test.each(pairs)('%s from %s for a client of %s', (_id, _from, to, fault) => {
    const bytes = Buffer.concat(fault.chunks);
    const whole = translate(fault, to, [bytes]);
    const upstream = fault.from === to ? bytes.toString('utf8') : undefined;
    expect(wrongs(fault.expect, to, whole, { upstream, quiet: isQuiet(fault, to) })).toEqual([]);
    for (const chunks of cutsOf(fault)) expect(translate(fault, to, chunks)).toBe(whole);
  });
});
