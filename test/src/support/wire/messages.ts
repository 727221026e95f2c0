/** Messages as Anthropic writes them: one block after another, also where a model would mix its calls. */

import { parsed } from '../json.ts';
import { joined, type Piece, type Refused, type Scene, SIGNATURE, type Stop, type Tokens } from '../scenes.ts';
import { type Asked, type Look, list, object, textOf, type Wire } from './wire.ts';

const stopReasonOf: Readonly<Record<Stop, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  refusal: 'refusal',
  content_filter: 'refusal',
};

/** A block of the wire: how it starts and what follows. */
interface Block {
  kind: 'text' | 'reasoning' | 'redacted' | `call ${number}`;
  start: object;
  deltas: object[];
}

/** The block that a piece belongs to if it is not the one before it. */
function blockOf(piece: Piece): Block | undefined {
  switch (piece.type) {
    case 'text':
      return { kind: 'text', start: { type: 'text', text: '' }, deltas: [] };
    case 'reasoning':
      return { kind: 'reasoning', start: { type: 'thinking', thinking: '', signature: '' }, deltas: [] };
    case 'redacted':
      return { kind: 'redacted', start: { type: 'redacted_thinking', data: piece.data }, deltas: [] };
    case 'call': {
      const start = { type: 'tool_use', id: callId(piece.call), name: piece.name, input: {} };
      return { kind: `call ${piece.call}`, start, deltas: [{ type: 'input_json_delta', partial_json: '' }] };
    }
    default:
      return undefined;
  }
}

/** An input without members: no delta says it. */
const EMPTY = '{}';

function deltaOf(piece: Piece): object | undefined {
  switch (piece.type) {
    case 'text':
      return { type: 'text_delta', text: piece.text };
    case 'reasoning':
      return { type: 'thinking_delta', thinking: piece.text };
    case 'signature':
      return { type: 'signature_delta', signature: piece.value };
    case 'citation':
      return { type: 'citations_delta', citation: citationOf(piece) };
    case 'input':
      return piece.text === EMPTY ? undefined : { type: 'input_json_delta', partial_json: piece.text };
    default:
      return undefined;
  }
}

function citationOf({ url, title }: Piece & { type: 'citation' }): object {
  return { type: 'web_search_result_location', url, title, encrypted_index: 'Eo8BCioIAhgB', cited_text: '18 degrees' };
}

function kindOf(piece: Piece): Block['kind'] | undefined {
  if (piece.type === 'call' || piece.type === 'input') return `call ${piece.call}`;
  if (piece.type === 'signature') return 'reasoning';
  if (piece.type === 'citation') return 'text';
  return piece.type === 'refusal' ? undefined : piece.type;
}

/** Messages has no free-form tools: their text comes as one member of an object. */
function asJson({ pieces }: Scene): readonly Piece[] {
  const custom = pieces.flatMap((piece) => (piece.type === 'call' && piece.custom ? piece.call : []));
  const last = (call: number) => pieces.findLastIndex((piece) => piece.type === 'input' && piece.call === call);
  return pieces.flatMap((piece, at): Piece | Piece[] => {
    if ((piece.type !== 'call' && piece.type !== 'input') || !custom.includes(piece.call)) return piece;
    const { call } = piece;
    if (piece.type === 'call') return [piece, { type: 'input', call, text: '{"input": "' }];
    const text = JSON.stringify(piece.text).slice(1, -1);
    return { type: 'input', call, text: at === last(call) ? `${text}"}` : text };
  });
}

/** Pieces in blocks; interleaved calls come one after the other. A refusal is no block: it rides on `message_delta`. */
function blocksOf(scene: Scene): Block[] {
  const blocks: Block[] = [];
  for (const piece of asJson(scene)) {
    const kind = kindOf(piece);
    const open =
      kind === blocks.at(-1)?.kind || kind?.startsWith('call') ? blocks.findLast((b) => b.kind === kind) : null;
    const block = open ?? blockOf(piece);
    if (block === undefined) continue;
    if (block !== open) blocks.push(block);
    const delta = deltaOf(piece);
    if (delta !== undefined) block.deltas.push(delta);
  }
  return blocks;
}

/** The events of one answer. */
class Events {
  readonly out: string[] = [];

  event(type: string, more: object = {}): void {
    this.out.push(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  }

  start(model: unknown, tokens: Tokens): void {
    const usage = {
      ...inputOfTokens(tokens),
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: 1,
      service_tier: 'standard',
    };
    const message = { id: 'msg_01Vq8', type: 'message', role: 'assistant', model, content: [] };
    this.event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } });
  }

  block(index: number, { start, deltas }: Block, stop: boolean): void {
    this.event('content_block_start', { index, content_block: start });
    if (index === 0) this.event('ping');
    for (const delta of deltas) this.event('content_block_delta', { index, delta });
    if (stop) this.event('content_block_stop', { index });
  }

  end(scene: Scene): void {
    this.event('message_delta', { delta: endOf(scene), usage: countedAtEnd(scene.tokens) });
    this.event('message_stop');
  }
}

function endOf(scene: Scene): object {
  const { stop, stopSequence } = scene;
  return {
    stop_reason: stopSequence === undefined ? stopReasonOf[stop] : 'stop_sequence',
    stop_sequence: stopSequence ?? null,
    ...(stop === 'refusal' && { stop_details: refusalOf(scene) }),
  };
}

function countedAtEnd(tokens: Tokens): object {
  const counted = { output_tokens: tokens.output, output_tokens_details: { thinking_tokens: tokens.reasoning } };
  return { ...inputOfTokens(tokens), ...counted };
}

function inputOfTokens({ input, cached }: Tokens): object {
  return { input_tokens: input - cached, cache_creation_input_tokens: 0, cache_read_input_tokens: cached };
}

function refusalOf(scene: Scene): object {
  return { type: 'refusal', category: 'cyber', explanation: joined(scene, 'refusal') };
}

function callId(call: number): string {
  return `toolu_01Hw${call}`;
}

function write(scene: Scene, { body }: Asked): string[] {
  const events = new Events();
  events.start(body.model, scene.tokens);
  const blocks = blocksOf(scene);
  const whole = scene.ending === 'whole';
  blocks.forEach((block, index) => void events.block(index, block, whole || index < blocks.length - 1));
  if (scene.ending === 'error') events.event('error', errorOf('overloaded_error', 'Overloaded'));
  if (whole) events.end(scene);
  return events.out;
}

function whole(scene: Scene, { body }: Asked): object {
  const content = blocksOf(scene).map(({ start, deltas }) => filled(start, deltas));
  const message = { id: 'msg_01Vq8', type: 'message', role: 'assistant', model: body.model, content };
  return { ...message, ...endOf(scene), usage: { ...countedAtEnd(scene.tokens), service_tier: 'standard' } };
}

/** A block with all that its deltas add. */
function filled(start: object, deltas: readonly object[]): object {
  const block: Record<string, unknown> = { ...start };
  let json = '';
  for (const { type: _, ...delta } of deltas as ({ type: string } & Record<string, unknown>)[])
    for (const [member, value] of Object.entries(delta)) {
      if (member === 'partial_json') json += value;
      else if (member === 'citation') block.citations = [...list(block.citations), value];
      else block[member] = `${block[member] ?? ''}${value}`;
    }
  return json === '' ? block : { ...block, input: parsed(json) ?? {} };
}

function errorOf(type: string, message: string, details?: object): object {
  return { error: { type, message, ...(details && { details }) }, request_id: 'req_011C' };
}

const refusals: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  429: 'rate_limit_error',
};

function refuse({ status, message }: Refused): unknown {
  return {
    type: 'error',
    ...errorOf(refusals[status] ?? 'api_error', message, message === NO_THREADS ? UNTHREADED : undefined),
  };
}

/** What a route says that keeps no conversations between requests. */
export const NO_THREADS = 'thread: not supported for this request';

/** Tells the tool runner of the SDK to send the whole history instead of relying on the server's memory. */
const UNTHREADED = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };

function complaint({ headers, body }: Asked): string | undefined {
  if (headers['x-api-key'] === undefined && headers.authorization === undefined) return 'no key';
  if (headers['anthropic-version'] === undefined) return 'anthropic-version: header is required';
  if (!Number.isInteger(body.max_tokens)) return 'max_tokens: Field required';
  if (list(body.messages).length === 0) return 'messages: at least one message is required';
  if (typeof body.thread === 'object' && body.thread !== null) return NO_THREADS;
  return unthought(body) ?? disordered(list(body.messages));
}

/** With thinking on, an assistant's turn that called tools must come back with its thinking, signature and all. */
function unthought({ thinking, max_tokens, messages }: Asked['body']): string | undefined {
  const { type, budget_tokens: budget } = object(thinking);
  if (type === undefined || type === 'disabled') return undefined;
  if (type === 'enabled' && !(Number(budget) >= 1024 && Number(budget) < Number(max_tokens)))
    return 'thinking.enabled.budget_tokens: must be at least 1024 and below max_tokens';
  const blocks = list(list(messages).findLast(({ role }) => role === 'assistant')?.content);
  if (!blocks.some((block) => block.type === 'tool_use')) return undefined;
  if (blocks[0]?.type !== 'thinking') return `messages: expected thinking, found ${blocks[0]?.type}`;
  return blocks[0].signature === SIGNATURE ? undefined : 'messages: Invalid signature in thinking block';
}

/** Anthropic wants the results of all calls at the start of the very next message. */
function disordered(messages: readonly Record<string, unknown>[]): string | undefined {
  let open: string[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    const blocks = list(content);
    const results = blocks.filter((block) => block.type === 'tool_result').map((block) => String(block.tool_use_id));
    const head = blocks.slice(0, results.length);
    if (head.some((block) => block.type !== 'tool_result')) return `messages.${at}: tool_result blocks must come first`;
    if (open.toSorted().join() !== results.toSorted().join())
      return `messages.${at}: results for [${results}] where [${open}] were called`;
    open = blocks.filter((block) => block.type === 'tool_use').map((block) => String(block.id));
    if (open.length > 0 && role !== 'assistant') return `messages.${at}: tool_use in a ${role} message`;
  }
  return open.length === 0 ? undefined : `messages: no results for ${open}`;
}

function look(body: Readonly<Record<string, unknown>>): Look {
  const blocks = list(body.messages).flatMap((message) => list(message.content));
  const of = (type: string) => blocks.filter((block) => block.type === type);
  return {
    model: String(body.model),
    stream: body.stream === true,
    tools: list(body.tools).map((tool) => String(tool.name)),
    stops: [body.stop_sequences ?? []].flat().map(String),
    calls: of('tool_use').map(({ id, name, input }) => ({ id: String(id), name: String(name), input })),
    results: of('tool_result').map((block) => ({ id: String(block.tool_use_id), text: textOf(block.content) })),
    signatures: blocks.flatMap(({ type, signature, data }) =>
      type === 'thinking' ? String(signature) : type === 'redacted_thinking' ? String(data) : [],
    ),
    schema: object(object(body.output_config).format).schema,
  };
}

/** Messages on the wire. */
export const messages: Wire = {
  path: '/v1/messages',
  write,
  whole,
  takesStops: true,
  callId,
  proves: (frame) => /"stop_reason":"/.test(frame),
  refuse,
  complaint,
  look,
};
