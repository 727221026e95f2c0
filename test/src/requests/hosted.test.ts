/** Tools that a provider runs, toward upstreams that lack them: a loss, and a severe one unless the answer could do without. */
import { dialects, type KnownDialect } from '@streamglot/core';
import { describe, expect, it } from 'vitest';

type Wire = Record<string, unknown>;

const schema = { type: 'object', properties: {} };

/** A request of each dialect with a function and a tool that the provider runs, and how it names a tool to call. */
const asked: Readonly<
  Record<KnownDialect, { body: Wire; tool: (hosted: Wire) => Wire; choose: Readonly<Record<string, unknown>> }>
> = {
  chat: {
    body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
    tool: (hosted) => ({ tools: [{ type: 'function', function: { name: 'f', parameters: schema } }, hosted] }),
    choose: { none: 'none', f: { type: 'function', function: { name: 'f' } }, any: 'required', auto: 'auto' },
  },
  gemini: {
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    tool: ({ type }) => ({
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: schema }] }, { [String(type)]: {} }],
    }),
    choose: {
      none: { mode: 'NONE' },
      f: { mode: 'ANY', allowedFunctionNames: ['f'] },
      any: { mode: 'ANY' },
      auto: { mode: 'AUTO' },
    },
  },
  interactions: {
    body: { model: 'm', input: 'Hi' },
    tool: (hosted) => ({ tools: [{ type: 'function', name: 'f', parameters: schema }, hosted] }),
    choose: {
      none: { tool_choice: 'none' },
      f: { tool_choice: { allowed_tools: { mode: 'any', tools: ['f'] } } },
      any: { tool_choice: 'any' },
      auto: { tool_choice: 'auto' },
    },
  },
  messages: {
    body: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
    tool: (hosted) => ({
      tools: [
        { name: 'f', input_schema: schema },
        { name: String(hosted.type), ...hosted },
      ],
    }),
    choose: { none: { type: 'none' }, f: { type: 'tool', name: 'f' }, any: { type: 'any' }, auto: { type: 'auto' } },
  },
  responses: {
    body: { model: 'm', input: 'Hi' },
    tool: (hosted) => ({ tools: [{ type: 'function', name: 'f', parameters: schema, strict: false }, hosted] }),
    choose: { none: 'none', f: { type: 'function', name: 'f' }, any: 'required', auto: 'auto' },
  },
};

const ids = Object.keys(asked) as KnownDialect[];
const pairs = ids.flatMap((from) => ids.filter((to) => to !== from).map((to) => [from, to] as const));

function lossesOf(from: KnownDialect, to: KnownDialect, hosted: Wire, choice: string): readonly unknown[] {
  const { body, tool, choose } = asked[from];
  const wire = {
    ...body,
    ...tool(hosted),
    tool_choice: choose[choice],
    toolConfig: { functionCallingConfig: choose[choice] },
    generation_config: choose[choice],
  };
  const { request, context } = dialects[from].decodeRequest({
    path: '/v1beta/models/m:generateContent',
    query: {},
    headers: {},
    body: wire,
  });
  const { losses } = dialects[to].encodeRequest(request, context, { stream: false });
  return losses.filter(({ field }) => field.startsWith('tools[1]')).map(({ severity }) => severity);
}

describe.each(pairs)('a tool that the provider runs, from a client of %s to an upstream of %s', (from, to) => {
  it.each([
    ['auto', 'severe'],
    ['any', 'severe'],
    ['f', 'minor'],
    ['none', 'minor'],
  ])('is lost where the choice is %s: %s', (choice, severity) => {
    expect(lossesOf(from, to, { type: 'web_search' }, choice)).toEqual([severity]);
  });
});

/** Gemini has no tool that finds other tools. */
it.each(pairs.filter(([from]) => from !== 'gemini'))(
  'a tool that only finds other tools, from a client of %s to an upstream of %s, is a small loss',
  (from, to) => {
    expect(lossesOf(from, to, { type: 'tool_search' }, 'auto')).toEqual(['minor']);
  },
);
