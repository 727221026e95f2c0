/** Messages, on both sides. */
import type { Piece } from '../support/scenes.ts';
import { wireOf } from '../support/wire/index.ts';
import { called, type Entry, opaque, type Row } from './row.ts';
import { list, object, payloads, tool, type Wired } from './wired.ts';

const wire = wireOf('messages');

function thinks(body: Wired): boolean {
  const type = object(body.thinking).type;
  return type === 'enabled' || type === 'adaptive';
}

function marks(content: unknown): string[] {
  return list(content).flatMap(({ type, thinking, signature, data, id, name, input }) => {
    if (type === 'thinking') return opaque(signature, thinking);
    if (type === 'redacted_thinking') return opaque(data);
    return type === 'tool_use' ? called(id, name, input) : [];
  });
}

/** The message that the events of a stream add up to. */
function folded(text: string): Wired[] {
  const blocks: Record<string, unknown>[] = [];
  const inputs: string[] = [];
  for (const { type, index, content_block, delta } of payloads(text)) {
    const at = Number(index);
    const { text: said, thinking, signature, partial_json: json } = object(delta);
    if (type === 'content_block_start') blocks[at] = { ...object(content_block) };
    const block = blocks[at] ?? {};
    if (said !== undefined) block.text = `${block.text}${said}`;
    if (thinking !== undefined) block.thinking = `${block.thinking}${thinking}`;
    if (signature !== undefined) block.signature = signature;
    if (json !== undefined) inputs[at] = `${inputs[at] ?? ''}${json}`;
  }
  return blocks.map((block, at) => (inputs[at] ? { ...block, input: JSON.parse(inputs[at]) } : block));
}

const thoughts: readonly Piece['type'][] = ['reasoning', 'signature', 'redacted'];

/** The models think before they call, if they are asked to. */
function thoughtful(pieces: readonly Piece[]): readonly Piece[] {
  if (thoughts.includes(pieces[0]?.type ?? 'text')) return pieces;
  return [{ type: 'reasoning', text: 'Unasked' }, { type: 'signature', value: '' }, ...pieces];
}

const idForm = /^[a-zA-Z0-9_-]+$/;

export const messages: Row = {
  speaker: {
    user: (text) => [{ role: 'user', content: text }],
    ask: (model, history, stream) => ({
      path: '/v1/messages',
      body: {
        model,
        max_tokens: 20_000,
        stream,
        thinking: { type: 'enabled', budget_tokens: 4000 },
        tools: [{ name: tool.name, description: tool.description, input_schema: tool.schema }],
        messages: history,
      },
    }),
    keep: (text, stream) => [
      { role: 'assistant', content: stream ? folded(text) : list((JSON.parse(text) as Wired).content) },
    ],
    forget: (entry) => entry,
    calls: (kept) =>
      kept
        .flatMap(({ content }) => list(content))
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name }) => ({ id: String(id), name: String(name) })),
    results: (calls) => [
      {
        role: 'user',
        content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: '18 degrees' })),
      },
    ],
    said: (kept) =>
      kept
        .flatMap(({ content }) => list(content))
        .map(({ text = '' }) => text)
        .join(''),
  },
  strict: {
    models: ['claude-opus-4-5', 'claude-sonnet-4-5'],
    path: /\/v1\/messages$/,
    write: (scene, body) => wire.write(scene, { headers: {}, body }).join(''),
    whole: (scene, body) => wire.whole(scene, { headers: {}, body }),
    pieces: (pieces, body) =>
      thinks(body) ? thoughtful(pieces) : pieces.filter(({ type }) => !thoughts.includes(type)),
    steps: ({ messages: history }) =>
      list(history).flatMap(({ role, content }) => (role === 'assistant' ? [marks(content)] : [])),
    marks: (whole) => marks(object(whole).content),
    complaint: (body) => {
      const history = list(body.messages);
      const { calls, results } = wire.look(body);
      const illegal = [...calls, ...results].find(({ id }) => !idForm.test(id));
      if (illegal) return `an id that does not match the pattern: ${illegal.id}`;
      return unthought(body, history) ?? unanswered(history);
    },
  },
};

function unthought(body: Wired, history: readonly Entry[]): string | undefined {
  const [called, answer] = history.slice(-2);
  if (!thinks(body) || !list(answer?.content).some(({ type }) => type === 'tool_result')) return undefined;
  const type = list(called?.content)[0]?.type;
  return type === 'thinking' || type === 'redacted_thinking' ? undefined : `expected thinking, found ${type}`;
}

function unanswered(history: readonly Entry[]): string | undefined {
  let open: unknown[] = [];
  for (const { content } of history) {
    const blocks = list(content);
    const results = blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id }) => tool_use_id);
    if (results.toSorted().join() !== open.toSorted().join()) return `results for ${results} where ${open} were called`;
    open = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  }
  return undefined;
}
