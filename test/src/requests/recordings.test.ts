/** Laws over every recorded request: it reads, it is written for every dialect, and nothing of weight is lost on the way. */
import { type CanonicalRequest, dialects, type Loss, type Part, type Tool, type Turn } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { recordings } from './recordings.ts';
import { decode, rewritten, type Side, translate } from './wire.ts';

const all = recordings();
const sides = Object.keys(dialects) as Side[];

/** More than this of a dialect that few have recorded. */
const few: Readonly<Partial<Record<Side, number>>> = { interactions: 10 };

describe.skipIf(all.length === 0)('a recorded request (skipped where STREAMGLOT_SHARED holds none)', () => {
  test('is one of several hundred, in every dialect', () => {
    const counts = sides.map((side) => all.filter(({ dialect }) => dialect === side).length);
    process.stdout.write(`recorded requests: ${sides.map((side, at) => `${counts[at]} of ${side}`).join(', ')}\n`);
    expect(sides.filter((side, at) => (counts[at] ?? 0) <= (few[side] ?? 100))).toEqual([]);
  });

  test('goes to an upstream of its own dialect as the client wrote it', () => {
    for (const { file, dialect, body } of all) {
      const before = structuredClone(body);
      const { body: sent, losses } = translate(dialect, dialect, body, { stream: body.stream === true });
      expect(addressed(sent, dialect), file).toEqual({
        ...(dialect === 'messages' && { max_tokens: 4096 }),
        ...addressed(body, dialect),
      });
      expect(losses, file).toEqual([]);
      expect(body, file).toEqual(before);
    }
  });

  test.each(sides)('is written for %s, and says the same when it is read there', (other) => {
    for (const { file, dialect, body } of all.filter((one) => one.dialect !== other)) {
      const { request } = decode(dialect, body);
      const there = translate(dialect, other, body);
      const back = decode(other, there.body, there.path).request;
      const isGone = ({ severity, field }: Loss): boolean =>
        severity === 'severe' || /^tools\[\d+\]$|max.*tokens$/i.test(field);
      // Responses has no stop strings: they are cut out of the answer.
      const cut = other === 'responses' ? [request.fields?.stop ?? 'stop'] : [];
      const lost = [...cut, ...there.losses.filter(isGone).map(({ field }) => field)];
      const bounded = lost.filter((field) => /max.*tokens$/i.test(field));
      expect(gist(back, request, bounded), file).toEqual(gist(request, request, lost));
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

/** The tool that stands for an answer as JSON, where an upstream cannot be held to a form otherwise. */
const jsonAnswer = 'json_answer';

/** What Messages has the user say where the assistant began. */
const invented = '(Theconversationsofar.)';

/** A body without what goes by the stream that is asked for and, where the path names the model, without the model. */
function addressed(body: Record<string, unknown>, dialect: Side): Record<string, unknown> {
  const { stream: _stream, stream_options: _options, model, ...rest } = body;
  return { ...rest, ...(dialect !== 'gemini' && { model }) };
}

/** What must survive: who said what, calls and results, tools, choice, limit, form, stop strings. */
function gist(request: CanonicalRequest, asked: CanonicalRequest, lost: readonly string[]): unknown {
  const ids: string[] = [];
  const answer = request.tools.find(({ name }) => name === jsonAnswer);
  const tools = request.tools.filter((tool) => tool !== answer && !lost.includes(tool.at ?? ''));
  return {
    model: request.model,
    system: squeeze(request.system.map(({ text }) => text).join('')),
    turns: joined(request.turns)
      .map(({ role, parts }) => ({ role, ...gistOf(parts, ids, lost) }))
      .filter(({ said }) => said !== invented),
    tools: tools.map((tool) => toolGist(tool, asked)).sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...(tools.length > 0 && { choice: request.toolChoice?.type }),
    ...(asked.maxOutputTokens !== undefined &&
      !lost.includes(asked.fields?.maxOutputTokens ?? 'maxOutputTokens') && { limit: request.maxOutputTokens }),
    ...(!lost.includes(request.fields?.stop ?? 'stop') && { stop: request.stop }),
    format: answer?.type === 'function' ? answer.parameters : schemaOf(request),
  };
}

function schemaOf({ output }: CanonicalRequest): unknown {
  return output?.type === 'json_schema' ? output.schema : undefined;
}

/** Turns of one side that follow each other are one, but for parts that say nothing in other dialects. */
function joined(turns: readonly Turn[]): Turn[] {
  const all: Turn[] = [];
  for (const { role, parts } of turns) {
    const told = parts.filter(({ type }) => type !== 'reasoning' && type !== 'native');
    const last = all.at(-1);
    if (told.length === 0) continue;
    if (last?.role === role) all.splice(-1, 1, { role, parts: [...last.parts, ...told] });
    else all.push({ role, parts: told });
  }
  return all;
}

function toolGist(tool: Tool, asked: CanonicalRequest): { name: string } & Record<string, unknown> {
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
