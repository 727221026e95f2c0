/** Responses, on both sides. */
import { wireOf } from '../support/wire/index.ts';
import { called, opaque, type Row } from './row.ts';
import { list, object, payloads, tool, unanswered, type Wired } from './wired.ts';

const wire = wireOf('responses');

function marks(items: unknown): string[] {
  return list(items).flatMap(({ type, encrypted_content, call_id, name, arguments: json }) => {
    if (type === 'reasoning') return opaque(encrypted_content);
    return type === 'function_call' ? called(call_id, name, JSON.parse(String(json))) : [];
  });
}

/** Items of the assistant that follow one another are a step. */
function steps({ input }: Wired): string[][] {
  const found: Wired[][] = [];
  let isOpen = false;
  for (const item of list(input)) {
    const isSaid = item.role === 'assistant' || item.type === 'reasoning' || item.type === 'function_call';
    if (isSaid && isOpen) found.at(-1)?.push(item);
    else if (isSaid) found.push([item]);
    isOpen = isSaid;
  }
  return found.map(marks);
}

export const responses: Row = {
  speaker: {
    user: (text) => [{ role: 'user', content: text }],
    ask: (model, history, stream) => ({
      path: '/v1/responses',
      body: {
        model,
        stream,
        store: false,
        include: ['reasoning.encrypted_content'],
        reasoning: { effort: 'high', summary: 'auto' },
        tools: [{ type: 'function', name: tool.name, description: tool.description, parameters: tool.schema }],
        input: history,
      },
    }),
    keep: (text, stream) =>
      list(
        stream
          ? object(payloads(text).find(({ type }) => type === 'response.completed')?.response).output
          : (JSON.parse(text) as Wired).output,
      ),
    forget: ({ id: _, status: __, ...entry }) => entry,
    calls: (kept) =>
      kept
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id, name }) => ({ id: String(call_id), name: String(name) })),
    results: (calls) => calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output: '18 degrees' })),
    said: (kept) =>
      kept
        .flatMap(({ content }) => list(content))
        .map(({ text = '' }) => text)
        .join(''),
  },
  strict: {
    models: ['gpt-5.1', 'o4-mini'],
    path: /\/responses$/,
    write: (scene, body) => wire.write(scene, { headers: {}, body }).join(''),
    whole: (scene, body) => wire.whole(scene, { headers: {}, body }),
    pieces: (pieces) => pieces,
    steps,
    marks: (whole) => marks(object(whole).output),
    complaint: (body) => {
      const { calls, results } = wire.look(body);
      const long = calls.find(({ id }) => id.length > 64);
      if (long) return `an id that is too long: ${long.id}`;
      return unanswered(calls, results);
    },
  },
};
