/** Tools: which of them a request offers, whether it asks for one, and a call that its schema allows. */
import type { CanonicalRequest, CustomTool, FunctionTool } from '@streamglot/core';
import { sample } from './sample.ts';
import type { ScriptedCall } from './script.ts';

type ClientTool = FunctionTool | CustomTool;

/** The tools that the client runs and that its choice lets be called. */
export function offeredTools({ tools, toolChoice }: CanonicalRequest): readonly ClientTool[] {
  if (toolChoice?.type === 'none') return [];
  const clients = tools.filter((tool): tool is ClientTool => tool.type !== 'hosted');
  if (toolChoice?.type === 'tool') return clients.filter(({ name }) => name === toolChoice.name);
  if (toolChoice?.type === 'allowed') return clients.filter(({ name }) => toolChoice.names.includes(name));
  return clients;
}

/** Whether a tool must be called. */
export function isCallRequired({ toolChoice }: CanonicalRequest): boolean {
  if (toolChoice?.type === 'allowed') return toolChoice.mode === 'required';
  return toolChoice?.type === 'required' || toolChoice?.type === 'tool';
}

/** The tools that a text asks for: by a word of their name, or all if it only says "tool". */
export function toolsAskedFor(text: string, tools: readonly ClientTool[]): readonly ClientTool[] {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const named = tools.filter(({ name }) => wordsOf(name).some((word) => words.has(word)));
  if (named.length > 0) return named;
  return words.has('tool') || words.has('tools') ? tools : [];
}

/** A call with arguments that the tool's schema allows. */
export function callOf(tool: ClientTool): ScriptedCall {
  if (tool.type === 'custom') return { name: tool.name, input: `input for ${tool.name}` };
  const input = sample(tool.parameters ?? { type: 'object' });
  return { name: tool.name, input: input as Readonly<Record<string, unknown>> };
}

/** The words of a name such as `get_weather` or `getWeather` that say what it is about. */
function wordsOf(name: string): readonly string[] {
  const words = name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word.length > 2 && !common.has(word));
}

const common: ReadonlySet<string> = new Set(['get', 'set', 'the', 'and', 'for', 'all', 'new', 'run', 'use']);
