/** A script as the events of a stream: one list for each piece, as one frame of an upstream would have them. */
import {
  type BlockKind,
  type BlockStart,
  type CanonicalEvent,
  type Delta,
  type FrameEvents,
  type Ids,
  interruption,
  type Usage,
} from '@streamglot/core';
import { finishOf, inputOf, type Script, type ScriptedCall } from './script.ts';

/** What a script does not say itself. */
export interface Setting {
  model: string;
  ids: Ids;
  usage: Usage;
  /** Names of tools whose input is free text. */
  custom: ReadonlySet<string>;
  /** Candidates that the client asked for; each says the same. */
  choices: number;
}

/** All frames of a script; the last one holds the ending. */
export function framesOf(script: Script, setting: Setting): readonly FrameEvents[] {
  const frames: FrameEvents[] = [[start(setting)]];
  const block = counter();
  for (let choice = 0; choice < setting.choices; choice++)
    frames.push(...partsOf(script, setting, block, choice), [finish(script, choice)]);
  frames.push(end(setting.usage));
  return broken(frames, script);
}

/** One block: how it opens, and its pieces. */
interface Run {
  start: BlockStart;
  deltas: readonly Delta[];
}

function partsOf(script: Script, setting: Setting, block: () => number, choice: number): FrameEvents[] {
  const { reasoning, text, refusal, toolCalls = [], interleaved = false } = script;
  const run = (kind: BlockKind, deltas: readonly Delta[]): FrameEvents[] =>
    inTurn([{ start: { type: 'block-start', block: block(), choice, kind }, deltas }]);
  const frames: FrameEvents[] = [];
  if (reasoning !== undefined) frames.push(...run('reasoning', [...thoughts(reasoning), signature]));
  if (text !== undefined) frames.push(...run('text', spoken(text)));
  if (refusal !== undefined) frames.push(...run('refusal', spoken(refusal)));
  const calls = toolCalls.map((call): Run => callRun(call, block(), choice, setting));
  frames.push(...(interleaved ? inTurn(calls) : calls.flatMap((call) => inTurn([call]))));
  return frames;
}

function callRun(call: ScriptedCall, block: number, choice: number, { ids, custom }: Setting): Run {
  const format = custom.has(call.name) ? 'text' : 'json';
  const toolCall = {
    id: call.id ?? ids.invent('call_', block),
    name: call.name,
    format,
    executor: 'client',
    kind: format === 'text' ? 'custom' : 'function',
  } as const;
  const deltas = pieces(inputOf(call)).map((text): Delta => ({ type: 'input', text }));
  return { start: { type: 'block-start', block, choice, kind: 'tool_call', toolCall }, deltas };
}

/** Runs side by side: each gives one piece, then the next one does; all end together. */
function inTurn(runs: readonly Run[]): FrameEvents[] {
  const longest = Math.max(0, ...runs.map(({ deltas }) => deltas.length));
  const frames: FrameEvents[] = runs.map(({ start }) => [start]);
  for (let at = 0; at < longest; at++)
    for (const { start, deltas } of runs) {
      const delta = deltas[at];
      if (delta !== undefined) frames.push([{ type: 'block-delta', block: start.block, delta }]);
    }
  return [...frames, ...runs.map(({ start }): FrameEvents => [{ type: 'block-end', block: start.block }])];
}

/** The frames up to where the script breaks: by its error, or after some pieces without a word. */
function broken(frames: readonly FrameEvents[], { error, cutAfter }: Script): readonly FrameEvents[] {
  if (cutAfter !== undefined) {
    const deltas = frames.flatMap((events, at) => (events[0]?.type === 'block-delta' ? [at] : []));
    const whole = frames.slice(0, deltas[cutAfter] ?? frames.length - 1);
    return [...whole, [{ type: 'error', error: interruption('closed') }]];
  }
  if (error === undefined) return frames;
  const last = frames.findLastIndex((events) => events[0]?.type === 'block-delta');
  return [...frames.slice(0, last + 1), [{ type: 'error', error }]];
}

function start({ model, ids, usage }: Setting): CanonicalEvent {
  const { inputTokens = 0 } = usage;
  return { type: 'response-start', id: ids.invent('replay_'), model, role: 'assistant', usage: { inputTokens } };
}

function finish(script: Script, choice: number): CanonicalEvent {
  const { stopSequence } = script;
  return { type: 'finish', choice, reason: finishOf(script), ...(stopSequence !== undefined && { stopSequence }) };
}

function end(usage: Usage): FrameEvents {
  return [
    { type: 'usage', usage, final: true },
    { type: 'response-end', status: 'completed' },
  ];
}

/** Stands for the seal that a provider puts on its reasoning. */
const signature: Delta = { type: 'signature', value: 'c2NyaXB0ZWQ=', mode: 'set' };

function thoughts(text: string): readonly Delta[] {
  return pieces(text).map((piece) => ({ type: 'reasoning', text: piece, form: 'raw' }));
}

function spoken(text: string): readonly Delta[] {
  return pieces(text).map((piece) => ({ type: 'text', text: piece }));
}

/** A text in pieces of a word or a few characters, never through the middle of one. */
function pieces(text: string): readonly string[] {
  return text.match(/\s*\S{1,12}\s*|\s+/gu) ?? [];
}

function counter(): () => number {
  let next = 0;
  return () => next++;
}
