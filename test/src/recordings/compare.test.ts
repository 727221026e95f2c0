/** The comparison bites: a translation that loses something is named for what it lost. */
import { expect, test } from 'vitest';
import { type Edit, swap, swapAll, without } from '../support/edits.ts';
import { type SceneName, scenes } from '../support/scenes.ts';
import { frank, wireOf, wires } from '../support/wire/index.ts';
import { differences } from './compare.ts';
import { readRecorded, readWritten } from './oracle/index.ts';

function streamOf(dialect: string, scene: SceneName): string {
  return wireOf(dialect).write(scenes[scene], frank).join('');
}

/** What differs where a client of `dialect` gets `output` for a scene. */
async function found(dialect: string, scene: SceneName, output: string): Promise<readonly string[]> {
  const upstream = Buffer.from(streamOf(dialect, scene));
  const sent = await readRecorded(dialect, [upstream], 'a-provider');
  const got = await readWritten(dialect, [Buffer.from(output)]);
  return differences({ from: 'another', to: dialect, sent, got, doneMarker: true });
}

/** How a stream is damaged, and which check has to say so. */
type Damage = readonly [what: string, scene: SceneName, damage: Edit, check: string];

const damages: Readonly<Record<string, readonly Damage[]>> = {
  chat: [
    ['a piece of text is lost', 'text', without(/quotes/), 'text'],
    ['a refusal is lost', 'refusal', without(/allowed/), 'refusal'],
    ['reasoning is lost', 'reasoning', without(/be brief/), 'reasoning'],
    ['an argument is lost', 'tool', without(/"unit/), 'calls'],
    ['two calls share an index', 'parallel tools', swapAll('"index":1', '"index":0'), 'calls'],
    ['an id is another', 'tool', swap(/call_\w+/, 'call_other'), 'calls'],
    ['a finish is another', 'length', swap('"length"', '"stop"'), 'end'],
    ['the finish is lost', 'text', swap('"finish_reason":"stop"', '"finish_reason":null'), 'end'],
    ['usage is lost', 'text', without(/prompt_tokens/), 'usage'],
    ['usage is counted exclusively', 'text', swap('"prompt_tokens":21', '"prompt_tokens":17'), 'usage'],
    ['cached tokens are lost', 'text', swap('"cached_tokens":4', '"cached_tokens":0'), 'usage'],
    ['an error is swallowed', 'error mid-stream', without(/"error"/), 'failure'],
    ['an error is invented', 'text', swap('data: [DONE]', 'data: {"error":{"message":"no"}}'), 'failure'],
    ['the accumulator throws', 'text', swap('"role":"assistant",', ''), 'accumulator'],
  ],
  messages: [
    ['a piece of text is lost', 'text', without(/quotes/), 'text'],
    ['reasoning is lost', 'reasoning', without(/be brief/), 'reasoning'],
    ['an argument is lost', 'tool', without(/"unit/), 'calls'],
    ['an id is another', 'tool', swap(/toolu_\w+/, 'toolu_other'), 'calls'],
    ['a stop reason is another', 'length', swap('"max_tokens"', '"end_turn"'), 'end'],
    ['message_stop is lost', 'text', without(/message_stop/), 'end'],
    ['cached tokens are counted twice', 'text', swapAll('"input_tokens":17', '"input_tokens":21'), 'usage'],
    ['output tokens are lost', 'text', swapAll('"output_tokens":9', '"output_tokens":0'), 'usage'],
    ['an error is swallowed', 'error mid-stream', without(/event: error/), 'failure'],
    ['event lines are lost', 'text', swapAll(/^event: .*\n/gm, ''), 'text'],
    ['two blocks share an index', 'parallel tools', swapAll('"index":1', '"index":0'), 'indexes'],
    ['a block is never begun', 'text', without(/content_block_start/), 'indexes'],
  ],
  responses: [
    ['a piece of text is lost', 'text', without(/delta.*quotes/), 'text'],
    ['a refusal is lost', 'refusal', without(/delta.*allowed/), 'refusal'],
    ['reasoning is lost', 'reasoning', without(/delta.*be brief/), 'reasoning'],
    ['an argument is another', 'tool', swapAll('celsius', 'kelvin'), 'calls'],
    ['an id is another', 'tool', swapAll(/call_7\w+/g, 'call_other'), 'calls'],
    ['the reason is another', 'length', swapAll('max_output_tokens', 'content_filter'), 'end'],
    ['the terminal event is lost', 'text', without(/response\.completed/), 'end'],
    ['cached tokens are lost', 'text', swap('"cached_tokens":4', '"cached_tokens":0'), 'usage'],
    ['an error is swallowed', 'error mid-stream', without(/event: error|response\.failed/), 'failure'],
    ['the accumulator throws', 'text', without(/output_item\.added/), 'accumulator'],
    ['two items share an index', 'parallel tools', swapAll('"output_index":1', '"output_index":0'), 'indexes'],
  ],
};

const rows = Object.entries(damages).flatMap(([dialect, list]) => list.map((damage) => [dialect, ...damage] as const));

test.each(rows)('%s: %s', async (dialect, _, scene, damage, check) => {
  const damaged = damage(streamOf(dialect, scene));
  expect(damaged).not.toBe(streamOf(dialect, scene));
  const names = (await found(dialect, scene, damaged)).map((difference) => difference.split(':')[0]);
  expect(names).toContain(check);
});

test.each(Object.keys(wires))('%s: nothing differs from itself', async (dialect) => {
  const whole = (Object.keys(scenes) as SceneName[]).filter((name) => scenes[name].ending === 'whole');
  // The official helper of Chat cannot collect a call of a custom tool.
  for (const scene of [...whole.filter((name) => name !== 'custom tool'), 'error mid-stream'] as const)
    expect(await found(dialect, scene, streamOf(dialect, scene))).toEqual([]);
});
