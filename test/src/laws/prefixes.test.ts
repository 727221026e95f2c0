/** Recordings that stop too early: a sample of them, each cut where a frame ends and inside one, for every client. */
import { createTranslator, dialects, type KnownDialect } from '@streamglot/core';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { bytesOf, isPresent, type Recording, recordings } from '../recordings/corpus.ts';
import { withoutData } from '../support/data.ts';
import { grammarOf } from '../support/grammar/index.ts';
import { runsOf } from './runs.ts';

const ids = Object.keys(dialects) as KnownDialect[];
const counted = { cuts: 0 };

/** What proves a good end in a payload; read more widely than a provider writes it, as recordings are of many. */
const proofs: Readonly<Record<string, RegExp>> = {
  chat: /"(?:finish_reason|finishReason)"\s*:\s*"|\[DONE\]|"object"\s*:\s*"chat\.completion"/i,
  messages: /"stop_reason"\s*:\s*"|message_stop/,
  interactions: /interaction\.completed|"status"\s*:\s*"(?:completed|incomplete|requires_action)"/,
  gemini: /"finishReason"\s*:|"blockReason"\s*:/,
  responses: /response\.(?:completed|incomplete|done|cancelled)|"status"\s*:\s*"(?:completed|incomplete)"/,
};

function proofOf(dialect: string): RegExp {
  const proof = proofs[dialect];
  if (proof === undefined)
    throw new Error(`nobody knows what proves a good end of ${dialect}: add it to prefixes.test.ts`);
  return proof;
}

function translate(from: KnownDialect, to: KnownDialect, bytes: Uint8Array): string {
  const translator = createTranslator({ from, to, includeUsage: true });
  return Buffer.concat([translator.push(bytes), translator.end()]).toString('utf8');
}

/** Up to a length, which falls anywhere. */
function prefixOf(recording: Recording, place: number): Buffer {
  const bytes = bytesOf(recording);
  return Buffer.from(bytes.subarray(0, place % (bytes.length + 1)));
}

afterAll(() => {
  console.log(
    isPresent ? `prefixes of recordings: ${counted.cuts} cuts` : withoutData('prefixes of recordings', 'corpus'),
  );
});

describe.skipIf(!isPresent).each(ids)('a recording of %s that stops too early', (from) => {
  const own = recordings.filter(({ dialect }) => dialect === from);
  const { seed, numRuns } = runsOf(60);
  const cuts = own.length === 0 ? [] : fc.sample(fc.tuple(fc.constantFrom(...own), fc.nat()), { seed, numRuns });

  test.each(ids)('is no answer for a client of %s before there is proof that it is one', (to) => {
    const { violations, fails } = grammarOf(to);
    const wrong = cuts.flatMap(([recording, place]) => {
      const prefix = prefixOf(recording, place);
      const text = translate(from, to, prefix);
      counted.cuts++;
      const early = !proofOf(from).test(prefix.toString()) && !fails(text);
      const found = [...(early ? ['a good ending without proof of it'] : []), ...(from === to ? [] : violations(text))];
      return found.length === 0 ? [] : [`${recording.file} at ${prefix.length}: ${found.slice(0, 3).join('; ')}`];
    });
    expect(wrong).toEqual([]);
  });
});
