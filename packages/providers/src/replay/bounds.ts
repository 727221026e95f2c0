/** What a request allows an answer: its stop strings and its number of tokens. */
import type { CanonicalRequest } from '@streamglot/core';
import { charsPerToken } from './estimate.ts';
import { inputOf, type Script, type ScriptedCall } from './script.ts';

/** The script as the request lets it be: cut at the first stop string, then at the last token allowed. */
export function bounded(script: Script, { stop, maxOutputTokens }: CanonicalRequest): Script {
  const stopped = stop === undefined ? script : stoppedAt(script, stop);
  return maxOutputTokens === undefined ? stopped : shortened(stopped, maxOutputTokens * charsPerToken);
}

function stoppedAt(script: Script, stops: readonly string[]): Script {
  const { text = '' } = script;
  const found = stops
    .filter((stop) => stop !== '' && text.includes(stop))
    .sort((a, b) => text.indexOf(a) - text.indexOf(b))[0];
  if (found === undefined) return script;
  const { toolCalls: _never, ...spoken } = script;
  return { ...spoken, text: text.slice(0, text.indexOf(found)), finish: 'stop', stopSequence: found };
}

function shortened(script: Script, chars: number): Script {
  const purse = new Purse(chars);
  const { reasoning, text, refusal, toolCalls, stopSequence: _unmet, ...rest } = script;
  const short: Script = { ...rest };
  if (reasoning !== undefined) short.reasoning = purse.take(reasoning);
  if (text !== undefined && !purse.empty) short.text = purse.take(text);
  if (refusal !== undefined && !purse.empty) short.refusal = purse.take(refusal);
  if (toolCalls !== undefined && !purse.empty) short.toolCalls = affordable(toolCalls, purse);
  return purse.overdrawn ? { ...short, finish: 'length' } : script;
}

function affordable(calls: readonly ScriptedCall[], purse: Purse): readonly ScriptedCall[] {
  const afforded: ScriptedCall[] = [];
  for (const call of calls) {
    purse.take(call.name);
    if (!purse.empty) afforded.push({ ...call, input: purse.take(inputOf(call)) });
  }
  return afforded;
}

/** Characters to spend. */
class Purse {
  overdrawn = false;
  #left: number;

  constructor(chars: number) {
    this.#left = chars;
  }

  get empty(): boolean {
    return this.#left <= 0;
  }

  /** As much of a text as can be paid for, whole characters only. */
  take(text: string): string {
    this.overdrawn ||= text.length > this.#left;
    let taken = '';
    for (const char of text) {
      if (char.length > this.#left) break;
      this.#left -= char.length;
      taken += char;
    }
    if (this.overdrawn) this.#left = 0;
    return taken;
  }
}
