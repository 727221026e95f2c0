/** Steps of an Interactions request: as a client wrote them, as they are kept, and as they are sent again. */
import { Ids } from '@streamglot/core';
import { isObject, type Said } from './input.ts';
import type { JsonObject, KeptItem } from './store.ts';

/** Types of content that stand in a list without a step around them; the user said it all at once. */
const bare: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'video', 'document']);

/** The steps that a body's `input` is, each with its place there. */
export function stepsOf(input: unknown): readonly Said[] {
  if (!Array.isArray(input)) return input === undefined || input === null ? [] : [said([contentOf(input)], 'input')];
  const entries = input.filter(isObject);
  if (entries.length > 0 && entries.every(({ type }) => bare.has(type))) return [said(entries, 'input')];
  return entries.map((entry, index) => ({ value: stepOf(entry), at: `input[${index}]` }));
}

function said(content: readonly unknown[], at: string): Said {
  return { value: { type: 'user_input', content }, at };
}

function contentOf(input: unknown): unknown {
  return typeof input === 'string' ? { type: 'text', text: input } : input;
}

/** The first revision had turns in place of steps. */
function stepOf(entry: JsonObject): JsonObject {
  const { role, content, type } = entry;
  if (typeof role === 'string') {
    const list = Array.isArray(content) ? content : [contentOf(content)];
    return { type: role === 'model' ? 'model_output' : 'user_input', content: list };
  }
  return bare.has(type) ? { type: 'user_input', content: [entry] } : entry;
}

/** The steps of an answer; only calls have ids of their own. */
export function answeredSteps(answer: JsonObject, origin: string | undefined): readonly KeptItem[] {
  const ids = new Ids(`${answer.id}/steps`);
  const steps = Array.isArray(answer.steps) ? answer.steps.filter(isObject) : [];
  return steps.map((value, at) => {
    const id = typeof value.id === 'string' && value.id !== '' ? value.id : ids.invent('step_', at);
    return { id, value, ...(origin !== undefined && { origin }) };
  });
}

/** What of a kept step a provider can be told, if anything: only who made a thought can read it. */
export function sentStep({ value, origin }: KeptItem, provider: string): JsonObject | undefined {
  if (origin === provider) return value;
  const { signature, ...rest } = value;
  if (value.type !== 'thought') return rest;
  return origin === undefined && typeof signature === 'string' ? value : undefined;
}
