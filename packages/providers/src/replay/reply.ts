/** The answer to a request that no script was written for: it does what the last turn asks. */
import type { CanonicalRequest, Part, ToolResultPart } from '@streamglot/core';
import { callOf, isCallRequired, offeredTools, toolsAskedFor } from './calls.ts';
import { sample } from './sample.ts';
import type { Script } from './script.ts';

/** Characters of somebody else's text that are quoted. */
const maxQuote = 200;

/** A script for any request: results are quoted, tools called, objects sampled, and texts echoed. */
export function replyTo(request: CanonicalRequest): Script {
  const parts = request.turns.at(-1)?.parts ?? [];
  const results = parts.filter((part): part is ToolResultPart => part.type === 'tool_result');
  const said = textOf(parts);
  const toolCalls = results.length > 0 ? [] : callsFor(request, said);
  return {
    ...(thinks(request) && {
      reasoning: `The last turn says ${quoted(said)}. ${plan(results.length, toolCalls.length)}`,
    }),
    ...(toolCalls.length > 0 ? { toolCalls } : { text: answer(request, said, results, parts) }),
  };
}

/** Whether the last turn brings results of tools. */
export function bringsResults({ turns }: CanonicalRequest): boolean {
  return turns.at(-1)?.parts.some((part) => part.type === 'tool_result') === true;
}

function callsFor(request: CanonicalRequest, said: string): NonNullable<Script['toolCalls']> {
  const offered = offeredTools(request);
  const asked = toolsAskedFor(said, offered);
  const chosen = asked.length === 0 && isCallRequired(request) ? offered.slice(0, 1) : asked;
  return chosen.slice(0, request.parallelToolCalls === false ? 1 : 2).map(callOf);
}

function answer(
  { output }: CanonicalRequest,
  said: string,
  results: readonly ToolResultPart[],
  parts: readonly Part[],
): string {
  if (output?.type === 'json_schema') return JSON.stringify(sample(output.schema));
  if (output?.type === 'json_object') return JSON.stringify({ answer: said.slice(0, maxQuote) });
  if (results.length > 0) return results.map(reported).join(' ');
  const others = parts.filter((part) => part.type !== 'text').map(({ type }) => type);
  const also = others.length === 0 ? '' : ` It came with: ${others.join(', ')}.`;
  return `You said ${quoted(said)}.${also} This is a scripted answer, given word by word without a model behind it.`;
}

function reported({ name, content, isError }: ToolResultPart): string {
  const verb = isError === true ? 'failed with' : 'answered';
  return `The tool${name === undefined ? '' : ` ${name}`} ${verb} ${quoted(textOf(content))}.`;
}

function plan(results: number, calls: number): string {
  if (results > 0) return 'The results are in, so they can be told.';
  return calls > 0 ? 'A tool can tell, so it is called.' : 'No tool is needed to answer that.';
}

function thinks({ reasoning }: CanonicalRequest): boolean {
  return reasoning !== undefined && reasoning.effort !== 'none';
}

function textOf(parts: readonly Part[]): string {
  return parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join(' ')
    .trim();
}

function quoted(text: string): string {
  const chars = [...text];
  return `“${chars.length > maxQuote ? `${chars.slice(0, maxQuote).join('')}…` : text}”`;
}
