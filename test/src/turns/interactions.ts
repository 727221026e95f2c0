/** Interactions without a server's memory, on both sides. */
import { wireOf } from '../support/wire/index.ts';
import { called, opaque, type Row } from './row.ts';
import { list, object, payloads, tool, unanswered, type Wired } from './wired.ts';

const wire = wireOf('interactions');

function marks(steps: unknown): string[] {
  return list(steps).flatMap(({ type, signature, id, name, arguments: args }) => {
    if (type === 'thought') return signature === undefined ? [] : opaque(signature);
    return type === 'function_call' ? called(id, name, args, signature) : [];
  });
}

/** Steps of the model that follow one another are one of the law's. */
function steps({ input }: Wired): string[][] {
  const found: Wired[][] = [];
  let isOpen = false;
  for (const step of list(input)) {
    const isSaid = step.type !== 'user_input' && step.type !== 'function_result';
    if (isSaid && isOpen) found.at(-1)?.push(step);
    else if (isSaid) found.push([step]);
    isOpen = isSaid;
  }
  return found.map(marks);
}

/** The steps that the events of a stream add up to. */
function folded(text: string): Wired[] {
  const found: Record<string, unknown>[] = [];
  const inputs: string[] = [];
  for (const { event_type: type, index, step, delta } of payloads(text)) {
    const at = Number(index);
    const { text: said, content, signature, arguments: json } = object(delta);
    if (type === 'step.start') found[at] = { ...object(step) };
    const entry = found[at] ?? {};
    if (said !== undefined) entry.content = [{ type: 'text', text: textOf(entry.content) + String(said) }];
    if (content !== undefined)
      entry.summary = [{ type: 'text', text: textOf(entry.summary) + String(object(content).text) }];
    if (signature !== undefined) entry.signature = signature;
    if (json !== undefined) inputs[at] = `${inputs[at] ?? ''}${json}`;
  }
  return found.map((step, at) => (inputs[at] ? { ...step, arguments: JSON.parse(inputs[at]) } : step));
}

function textOf(content: unknown): string {
  return list(content)
    .map(({ text = '' }) => text)
    .join('');
}

export const interactions: Row = {
  speaker: {
    user: (text) => [{ type: 'user_input', content: [{ type: 'text', text }] }],
    ask: (model, history, stream) => ({
      path: '/v1beta/interactions',
      body: {
        model,
        stream,
        store: false,
        generation_config: { thinking_level: 'high', thinking_summaries: 'auto' },
        tools: [{ type: 'function', name: tool.name, description: tool.description, parameters: tool.schema }],
        input: history,
      },
    }),
    keep: (text, stream) => (stream ? folded(text) : list((JSON.parse(text) as Wired).steps)),
    forget: (entry) => entry,
    calls: (kept) =>
      kept
        .filter(({ type }) => type === 'function_call')
        .map(({ id, name }) => ({ id: String(id), name: String(name) })),
    results: (calls) =>
      calls.map(({ id, name }) => ({ type: 'function_result', call_id: id, name, result: '18 degrees' })),
    said: (kept) => kept.map(({ content }) => textOf(content)).join(''),
  },
  strict: {
    models: ['gemini-3-pro-preview', 'gemini-2.5-pro'],
    path: /\/interactions$/,
    write: (scene, body) => wire.write(scene, { headers: {}, body }).join(''),
    whole: (scene, body) => wire.whole(scene, { headers: {}, body }),
    pieces: (pieces) => pieces,
    steps,
    marks: (whole) => marks(object(whole).steps),
    complaint: (body) => {
      const { calls, results } = wire.look(body);
      return unanswered(calls, results);
    },
  },
};
