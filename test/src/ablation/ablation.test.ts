/** One member of one kind of event left out, null or of another type: what is relayed is lawful all the same, and official clients read it as if nothing were wrong. */
import { translateText } from '@streamglot/core';
import { afterAll, describe, expect, test } from 'vitest';
import { grammarOf } from '../support/grammar/index.ts';
import { type Ablation, ablations, type Wire } from './ablate.ts';
import { readByHelper, readByVercel, type Told } from './readers.ts';
import { type Subject, subjects } from './subjects.ts';

/** Members that alone say something, so that without them less is said: then clients must still be able to read the rest. */
const carriers: Readonly<Record<string, RegExp>> = {
  chat: /choices|delta\.|tool_calls/,
  messages: /delta|content_block(\.id|\.name)?$/,
  responses: /^$/,
  interactions: /^(delta|step)\b/,
};

/** What this suite cannot demand of a damaged stream, by dialect: habits that official SDKs accept, so they are relayed. */
const habits: Readonly<Record<string, RegExp>> = {
  chat: /is missing|changes|object is|finish_reason is|usage before the finish|no choice in a chunk|no count|no array|no arguments/,
  messages: /stop_reason tool_use without a call|stop_sequence/,
  // All these are optional by the types of the official client.
  interactions:
    /usage\.|without object or model|an empty signature|a summary without content|annotations that are no list|an action is required/,
  responses: /with another output than its items/,
};

/** Damage that is no fault of a stream anybody has seen, and that only its decoder's own files could mend. */
const unmended: Readonly<Record<string, RegExp>> = {
  chat: /(id|created|model|usage|logprobs|tool_calls|arguments|content|finish_reason) of another type$/,
  messages: /(stop_reason|stop_sequence|partial_json) of another type$/,
  interactions: /arguments of another type$/,
  // An AI SDK that wants a title and a place of every source; the official SDK does not.
  responses:
    /annotation\.(title|start_index|end_index) missing$|annotations\.\*\.(title|start_index|end_index) missing$/,
};

const relay = ({ dialect, textOf }: Subject, events: readonly Wire[]): string =>
  translateText(textOf(events), { from: dialect, to: dialect, includeUsage: true });

async function readings({ dialect }: Subject, stream: string): Promise<readonly Told[]> {
  return [await readByHelper(dialect, stream), await readByVercel(dialect, stream)];
}

/** What is wrong with a stream of which one member was damaged. */
async function faultsOf(subject: Subject, damage: Ablation, healthy: readonly Told[]): Promise<string[]> {
  const { dialect } = subject;
  const stream = relay(subject, damage.events);
  const broken = grammarOf(dialect)
    .violations(stream)
    .filter((rule) => !habits[dialect]?.test(rule));
  const told = await readings(subject, stream);
  const failures = told.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
  const same = carriers[dialect]?.test(damage.path) || JSON.stringify(told) === JSON.stringify(healthy);
  return [...broken, ...failures, ...(same ? [] : ['is read otherwise'])];
}

let tried = 0;

describe.each(subjects)('a stream of $dialect with $name', (subject) => {
  test('is relayed as it came', () => {
    expect(relay(subject, subject.events)).toBe(subject.textOf(subject.events));
  });

  test('is read the same with any one member damaged', async () => {
    const { dialect, events, kindOf } = subject;
    const healthy = await readings(subject, relay(subject, events));
    const wrong: string[] = [];
    for (const damage of ablations(events, kindOf).filter(({ name }) => !seen.has(`${dialect} ${name}`))) {
      seen.add(`${dialect} ${damage.name}`);
      if (unmended[dialect]?.test(damage.name)) continue;
      tried++;
      const faults = await faultsOf(subject, damage, healthy);
      if (faults.length > 0) wrong.push(`${damage.name}: ${faults.join('; ')}`);
    }
    expect(wrong).toEqual([]);
  }, 60_000);
});

/** Damage that another stream of the dialect has had. */
const seen = new Set<string>();

afterAll(() => {
  expect(tried).toBeGreaterThan(1000);
});
