/** Laws over every recorded request: it reads, it is written for both dialects, and nothing of weight is lost on the way. */
import type { CanonicalRequest, Loss, Part, Tool } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { recordings } from './recordings.ts';
import { decode, rewritten, type Side, translate } from './wire.ts';

const all = recordings();
const other: Readonly<Record<Side, Side>> = { chat: 'messages', messages: 'chat' };

describe.skipIf(all.length === 0)('a recorded request (skipped where STREAMGLOT_SHARED holds none)', () => {
  test('is one of several hundred', () => {
    expect(all.length).toBeGreaterThan(500);
  });

  test('goes to an upstream of its own dialect as the client wrote it', () => {
    for (const { file, dialect, body } of all) {
      const before = structuredClone(body);
      const { body: sent, losses } = translate(dialect, dialect, body, { stream: body.stream === true });
      expect(withoutStream(sent), file).toEqual({
        ...(dialect === 'messages' && { max_tokens: 4096 }),
        ...withoutStream(body),
      });
      expect(losses, file).toEqual([]);
      expect(body, file).toEqual(before);
    }
  });

  test('is written for the other dialect, and says the same when it is read there', () => {
    for (const { file, dialect, body } of all) {
      const { request } = decode(dialect, body);
      const there = translate(dialect, other[dialect], body);
      const back = decode(other[dialect], there.body).request;
      const isGone = ({ severity, field }: Loss): boolean => severity === 'severe' || /^tools\[\d+\]$/.test(field);
      const lost = there.losses.filter(isGone).map(({ field }) => field);
      expect(gist(back, request, []), file).toEqual(gist(request, request, lost));
    }
  });

  test('is written in its own dialect from what was understood of it', () => {
    for (const { file, dialect, body } of all) {
      const read = decode(dialect, body);
      const back = decode(dialect, rewritten(dialect, read)).request;
      expect(gist(back, read.request, []), file).toEqual(gist(read.request, read.request, []));
    }
  });
});

/** What Messages has the user say where the assistant began. */
const invented = '(Theconversationsofar.)';

function withoutStream({
  stream: _stream,
  stream_options: _options,
  ...body
}: Record<string, unknown>): Record<string, unknown> {
  return body;
}

/** What must survive: who said what, calls and results, tools, choice, limit, form, stop strings. */
function gist(request: CanonicalRequest, asked: CanonicalRequest, lost: readonly string[]): unknown {
  const ids: string[] = [];
  const tools = request.tools.filter(({ at = '' }) => !lost.includes(at));
  return {
    model: request.model,
    system: squeeze(request.system.map(({ text }) => text).join('')),
    turns: request.turns
      .map(({ role, parts }) => ({ role, ...gistOf(parts, ids, lost) }))
      .filter(({ said }) => said !== invented),
    tools: tools.map((tool) => toolGist(tool, asked)),
    ...(tools.length > 0 && { choice: request.toolChoice?.type }),
    ...(asked.maxOutputTokens !== undefined && { limit: request.maxOutputTokens }),
    ...(!lost.includes(request.fields?.stop ?? 'stop') && { stop: request.stop }),
    format: request.output?.type === 'json_schema' ? request.output.schema : undefined,
  };
}

function toolGist(tool: Tool, asked: CanonicalRequest): unknown {
  const { name } = tool;
  const custom = asked.tools.some((other) => other.type === 'custom' && other.name === name);
  if (tool.type === 'hosted') return { name };
  const schema = tool.type === 'function' && !custom && (tool.parameters ?? { type: 'object', properties: {} });
  return { name, description: tool.description, schema };
}

/** Ids may change as long as a call and its result keep one: they count by their order. */
function gistOf(
  parts: readonly Part[],
  ids: string[],
  lost: readonly string[],
): { said: string } & Record<string, unknown> {
  const number = (id: string) => (ids.includes(id) ? ids.indexOf(id) : ids.push(id) - 1);
  const kept = parts.filter(({ at = '' }) => !lost.includes(at));
  return {
    said: said(kept),
    media: kept.flatMap(media),
    calls: kept.flatMap((part) =>
      part.type === 'tool_call' ? { id: number(part.id), name: part.name, input: JSON.parse(part.input || '{}') } : [],
    ),
    results: kept.flatMap((part) =>
      part.type === 'tool_result' ? { id: number(part.callId), said: said(part.content) } : [],
    ),
  };
}

function media(part: Part): unknown[] {
  if (part.type === 'tool_result') return part.content.flatMap(media);
  return part.type === 'image' || (part.type === 'document' && part.source.type !== 'text') ? [part.source] : [];
}

/** A text document counts as text: Chat has no other form for it. */
function texts(part: Part): string[] {
  if (part.type === 'text' || part.type === 'refusal') return [part.text];
  if (part.type !== 'document' || part.source.type !== 'text') return [];
  return [part.title, part.context, part.source.text].filter((text) => text !== undefined);
}

function said(parts: readonly Part[]): string {
  return squeeze(parts.flatMap(texts).join('')).replace(/Alsoreturnedbytoolcall[^:]*:/, '');
}

/** White space between pieces is the dialect's own affair. */
function squeeze(text: string): string {
  return text.replace(/\s+/g, '');
}
