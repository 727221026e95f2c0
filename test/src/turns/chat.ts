/** Chat, on both sides; the upstream signs calls, as Google's does. */
import { inputOf, joined, type Scene } from '../support/scenes.ts';
import { wireOf } from '../support/wire/index.ts';
import { called, opaque, type Row } from './row.ts';
import { list, object, payloads, tool, unanswered, type Wired } from './wired.ts';

const wire = wireOf('chat');

function marks(message: Wired): string[] {
  const { reasoning_content: thought, tool_calls: calls } = message;
  const plain = thought === undefined || calls === undefined ? [] : [opaque(thought)];
  const marks = list(calls).map(({ id, function: fn, extra_content }) => {
    const { name, arguments: json } = object(fn);
    const { thought_signature } = object(object(extra_content).google);
    return called(id, name, JSON.parse(String(json)), thought_signature);
  });
  return [...plain, ...marks];
}

/** The calls of a scene, each with the signature in front of it. */
function callsOf(scene: Scene): Wired[] {
  let signature: string | undefined;
  return scene.pieces.flatMap((piece) => {
    if (piece.type === 'signature') signature = piece.value;
    if (piece.type !== 'call') return [];
    const signed = signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
    signature = undefined;
    const body = { name: piece.name, arguments: inputOf(scene, piece.call) };
    return { id: wire.callId(piece.call), type: 'function', function: body, ...signed };
  });
}

function messageOf(scene: Scene): Wired {
  const calls = callsOf(scene);
  const reasoning = joined(scene, 'reasoning');
  return {
    role: 'assistant',
    content: joined(scene, 'text') || null,
    ...(reasoning && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function written(scene: Scene, { model }: Wired): string {
  const { tool_calls: calls, ...said } = messageOf(scene);
  const chunk = (delta: object, finish_reason: string | null = null): string => {
    const choices = [{ index: 0, delta, finish_reason }];
    return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices })}\n\n`;
  };
  const deltas = [said, ...list(calls).map((call, index) => ({ tool_calls: [{ index, ...call }] }))];
  return `${deltas.map((delta) => chunk(delta)).join('')}${chunk({}, calls ? 'tool_calls' : 'stop')}data: [DONE]\n\n`;
}

/** The message that the chunks of a stream add up to, with members that no SDK knows. */
function folded(text: string): Wired {
  const message: Record<string, unknown> = { role: 'assistant', content: '' };
  const calls: Wired[] = [];
  for (const { choices } of payloads(text)) {
    const { content, reasoning_content: thought, tool_calls } = object(list(choices)[0]?.delta);
    if (typeof content === 'string') message.content += content;
    if (typeof thought === 'string') message.reasoning_content = `${message.reasoning_content ?? ''}${thought}`;
    for (const { index, function: fn, ...more } of list(tool_calls)) {
      const call = calls[Number(index)] ?? { function: { name: '', arguments: '' } };
      const { name, arguments: json } = object(call.function);
      const piece = object(fn);
      calls[Number(index)] = {
        ...call,
        ...more,
        function: { name: piece.name ?? name, arguments: `${json}${piece.arguments ?? ''}` },
      };
    }
  }
  return calls.length > 0 ? { ...message, tool_calls: calls } : message;
}

export const chat: Row = {
  speaker: {
    user: (text) => [{ role: 'user', content: text }],
    ask: (model, history, stream) => ({
      path: '/v1/chat/completions',
      body: {
        model,
        stream,
        reasoning_effort: 'high',
        tools: [
          { type: 'function', function: { name: tool.name, description: tool.description, parameters: tool.schema } },
        ],
        messages: history,
      },
    }),
    keep: (text, stream) => [stream ? folded(text) : object(list((JSON.parse(text) as Wired).choices)[0]?.message)],
    forget: ({ role, content, tool_calls: calls }) => ({
      role,
      content,
      ...(calls !== undefined && {
        tool_calls: list(calls).map(({ id, type, function: fn }) => ({ id, type, function: fn })),
      }),
    }),
    calls: (kept) =>
      kept
        .flatMap(({ tool_calls }) => list(tool_calls))
        .map(({ id, function: fn }) => ({ id: String(id), name: String(object(fn).name) })),
    results: (calls) => calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '18 degrees' })),
    said: (kept) => kept.map(({ content }) => content ?? '').join(''),
  },
  strict: {
    models: ['gemini-3-pro-preview', 'gemini-2.5-pro'],
    path: /\/chat\/completions$/,
    write: written,
    whole: (scene, { model }) => ({
      ...{ id: 'c', object: 'chat.completion', created: 1, model },
      choices: [
        {
          index: 0,
          message: messageOf(scene),
          finish_reason: scene.pieces.some(({ type }) => type === 'call') ? 'tool_calls' : 'stop',
        },
      ],
    }),
    pieces: (pieces) => pieces,
    steps: (body) => list(body.messages).flatMap((message) => (message.role === 'assistant' ? [marks(message)] : [])),
    marks: (whole) => marks(object(list(object(whole).choices)[0]?.message)),
    complaint: (body) => {
      const { calls, results } = wire.look(body);
      const long = calls.find(({ id }) => id.length > 40);
      if (long) return `an id that is too long: ${long.id}`;
      return unanswered(calls, results);
    },
  },
};
