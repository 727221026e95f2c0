/** Tokens without a tokenizer: one for every four characters, rounded up. */
import type { CanonicalRequest, Part, Usage } from '@streamglot/core';
import { inputOf, type Script } from './script.ts';

/** Characters that count as one token. */
export const charsPerToken = 4;

/** The usage of a script's answer to a request. */
export function usageOf(request: CanonicalRequest, script: Script): Usage {
  const inputTokens = inputTokensOf(request);
  const choices = request.choices ?? 1;
  const reasoning = tokensOf(script.reasoning ?? '') * choices;
  const outputTokens = reasoning + spokenTokens(script) * choices;
  return {
    inputTokens,
    outputTokens,
    ...(reasoning > 0 && { outputTokensDetails: { reasoning } }),
    totalTokens: inputTokens + outputTokens,
  };
}

function spokenTokens({ text = '', refusal = '', toolCalls = [] }: Script): number {
  const calls = toolCalls.map((call) => tokensOf(call.name) + tokensOf(inputOf(call)));
  return calls.reduce((sum, tokens) => sum + tokens, tokensOf(text) + tokensOf(refusal));
}

/** The tokens of a request: its instructions, turns and tools. */
function inputTokensOf({ system, turns, tools }: CanonicalRequest): number {
  const texts = [
    ...system.map(({ text }) => text),
    ...turns.flatMap(({ parts }) => parts.map(partText)),
    ...tools.map((tool) => JSON.stringify(tool)),
  ];
  return tokensOf(texts.join(''));
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / charsPerToken);
}

function partText(part: Part): string {
  if (part.type === 'text' || part.type === 'refusal') return part.text;
  if (part.type === 'tool_call') return part.name + part.input;
  if (part.type === 'tool_result') return part.content.map(partText).join('');
  return part.type === 'reasoning' ? (part.text ?? '') : '';
}
