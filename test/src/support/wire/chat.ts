/** Chat Completions as OpenAI writes them; reasoning as compatible servers do. */
import { inputOf, joined, type Piece, type Refused, type Scene, type Stop, type Tokens } from '../scenes.ts';
import { type Asked, type Look, list, object, textOf, type Wire } from './wire.ts';

const finishOf: Readonly<Record<Stop, string>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  refusal: 'stop',
  content_filter: 'content_filter',
};

/** The chunks of one answer. */
class Chunks {
  readonly #frame: Record<string, unknown>;
  readonly out: string[] = [];

  constructor(model: unknown, withUsage: boolean) {
    this.#frame = {
      id: 'chatcmpl-Bx7Rk2',
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model,
      service_tier: 'default',
      system_fingerprint: 'fp_5d1c',
      ...(withUsage && { usage: null }),
    };
  }

  choice(delta: object, finish: string | null = null): void {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
    this.data({ ...this.#frame, choices, obfuscation: 'kGEVHK9STFy0L' });
  }

  usage(tokens: Tokens): void {
    this.data({ ...this.#frame, choices: [], usage: usageOf(tokens), obfuscation: '' });
  }

  data(payload: object | string): void {
    this.out.push(`data: ${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n\n`);
  }
}

function usageOf({ input, cached, output, reasoning }: Tokens): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function deltaOf(scene: Scene, piece: Piece): object | undefined {
  switch (piece.type) {
    case 'text':
      return { content: piece.text };
    case 'reasoning':
      return { reasoning_content: piece.text };
    case 'refusal':
      return { refusal: piece.text };
    case 'citation':
      return { annotations: [annotationOf(piece)] };
    case 'call': {
      const start = { index: piece.call, id: callId(piece.call) };
      return { tool_calls: [{ ...start, ...bodyOfCall(piece, '') }] };
    }
    case 'input': {
      const { type: _, ...body } = bodyOfCall(scene.pieces.find(isCall(piece.call)), piece.text);
      return { tool_calls: [{ index: piece.call, ...body }] };
    }
    default:
      return undefined;
  }
}

type Called = Piece & { type: 'call' };

function isCall(call: number): (piece: Piece) => piece is Called {
  return (piece): piece is Called => piece.type === 'call' && piece.call === call;
}

/** A call, or a piece of it; only its start has a name. */
function bodyOfCall(start: Called | undefined, input: string): { type: string } {
  const name = input === '' ? { name: start?.name } : {};
  if (start?.custom) return { type: 'custom', ...{ custom: { ...name, input } } };
  return { type: 'function', ...{ function: { ...name, arguments: input } } };
}

function annotationOf({ url, title, start, end }: Piece & { type: 'citation' }): object {
  return { type: 'url_citation', url_citation: { url, title, start_index: start, end_index: end } };
}

function callId(call: number): string {
  return `call_q0Zt${call}`;
}

function wantsUsage({ body }: Asked): boolean {
  return object(body.stream_options).include_usage === true;
}

function write(scene: Scene, asked: Asked): string[] {
  const withUsage = wantsUsage(asked);
  const chunks = new Chunks(asked.body.model, withUsage);
  const [first] = scene.pieces;
  chunks.choice({ role: 'assistant', content: first?.type === 'call' ? null : '', refusal: null });
  for (const delta of scene.pieces.map((piece) => deltaOf(scene, piece))) if (delta !== undefined) chunks.choice(delta);
  if (scene.ending === 'error') chunks.data(bodyOf('The server had an error.', 'server_error', 'server_error'));
  if (scene.ending !== 'whole') return chunks.out;
  chunks.choice({}, finishOf[scene.stop]);
  if (withUsage) chunks.usage(scene.tokens);
  chunks.data('[DONE]');
  return chunks.out;
}

function whole(scene: Scene, { body }: Asked): object {
  const reasoning = joined(scene, 'reasoning');
  const message = {
    role: 'assistant',
    content: joined(scene, 'text') || null,
    refusal: joined(scene, 'refusal') || null,
    annotations: scene.pieces.flatMap((piece) => (piece.type === 'citation' ? annotationOf(piece) : [])),
    ...(reasoning && { reasoning, reasoning_content: reasoning }),
  };
  const calls = scene.pieces.filter((piece) => piece.type === 'call').map((start) => calledWhole(scene, start));
  const said = { ...message, ...(calls.length > 0 && { tool_calls: calls }) };
  return {
    id: 'chatcmpl-Bx7Rk2',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: body.model,
    choices: [{ index: 0, message: said, logprobs: null, finish_reason: finishOf[scene.stop] }],
    usage: usageOf(scene.tokens),
    service_tier: 'default',
    system_fingerprint: 'fp_5d1c',
  };
}

function calledWhole(scene: Scene, { call, name, custom }: Called): object {
  const id = callId(call);
  const input = inputOf(scene, call);
  if (custom) return { id, type: 'custom', custom: { name, input } };
  return { id, type: 'function', function: { name, arguments: input } };
}

function bodyOf(message: string, type: string, code: string | null, param: string | null = null): object {
  return { error: { message, type, param, code } };
}

const refusals: Readonly<Record<number, readonly [type: string, code: string | null]>> = {
  400: ['invalid_request_error', null],
  401: ['invalid_request_error', 'invalid_api_key'],
  429: ['requests', 'rate_limit_exceeded'],
};

function refuse({ status, message }: Refused): unknown {
  return bodyOf(message, ...(refusals[status] ?? ['server_error', null]));
}

function complaint({ headers, body }: Asked): string | undefined {
  if (!String(headers.authorization).startsWith('Bearer ')) return 'no bearer key';
  if (!Array.isArray(body.messages) || body.messages.length === 0) return 'messages is missing';
  if (body.stream_options !== undefined && body.stream !== true) return 'stream_options without stream';
  return unanswered(look(body));
}

/** OpenAI refuses a history in which a call has no result, or a result no call. */
function unanswered({ calls, results }: Look): string | undefined {
  const open = new Set(calls.map((call) => call.id));
  for (const { id } of results) if (!open.delete(id)) return `a result for ${id}, which was never called`;
  return open.size === 0 ? undefined : `no result for ${[...open].join(', ')}`;
}

function look(body: Readonly<Record<string, unknown>>): Look {
  const messages = list(body.messages);
  const calls = messages.flatMap((message) => list(message.tool_calls));
  return {
    model: String(body.model),
    stream: body.stream === true,
    tools: list(body.tools).map((tool) => String(object(tool.function ?? tool.custom).name)),
    stops: [body.stop ?? []].flat().map(String),
    calls: calls.map(({ id, function: f, custom }) => ({ id: String(id), ...calledOf(object(f ?? custom)) })),
    results: messages
      .filter((message) => message.role === 'tool')
      .map((message) => ({ id: String(message.tool_call_id), text: textOf(message.content) })),
    signatures: [],
    schema: object(object(body.response_format).json_schema).schema,
  };
}

function calledOf(body: Readonly<Record<string, unknown>>): { name: string; input: unknown } {
  const { name, arguments: json, input = JSON.parse(String(json)) } = body;
  return { name: String(name), input };
}

/** Chat Completions on the wire. */
export const chat: Wire = {
  path: '/v1/chat/completions',
  write,
  whole,
  takesStops: true,
  callId,
  proves: (frame) => /"finish_reason":"/.test(frame) || frame.includes('[DONE]'),
  refuse,
  complaint,
  look,
};
