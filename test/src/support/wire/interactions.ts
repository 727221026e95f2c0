/** Interactions as their provider writes them: steps under indexes, then the interaction with its status and usage. */
import { parsed } from '../json.ts';
import { inputOf, type Piece, type Refused, type Scene, type Stop, type Tokens } from '../scenes.ts';
import { type Asked, type Look, list, object, textOf, type Wire } from './wire.ts';

const statusOf: Readonly<Record<Stop, string>> = {
  stop: 'completed',
  length: 'incomplete',
  tool_calls: 'requires_action',
  refusal: 'failed',
  content_filter: 'failed',
};

type Member = Record<string, unknown>;

/** A step of the wire: how it starts and what follows. */
interface Step {
  kind: 'model_output' | 'thought' | `call ${number}`;
  start: Member;
  deltas: { at: number; delta: Member }[];
  /** The piece that begins it, and the one that is its last. */
  from: number;
  to: number;
}

function callId(call: number): string {
  return `fc-3t${call}`;
}

function kindOf(piece: Piece): Step['kind'] | undefined {
  if (piece.type === 'call' || piece.type === 'input') return `call ${piece.call}`;
  if (piece.type === 'reasoning' || piece.type === 'signature') return 'thought';
  return piece.type === 'redacted' ? undefined : 'model_output';
}

function startOf(piece: Piece, kind: Step['kind']): Member {
  if (piece.type !== 'call') return { type: kind };
  return { id: callId(piece.call), name: piece.name, arguments: {}, type: 'function_call' };
}

function deltaOf(scene: Scene, piece: Piece): Member | undefined {
  switch (piece.type) {
    case 'text':
    case 'refusal':
      return { text: piece.text, type: 'text' };
    case 'reasoning':
      return { content: { text: piece.text, type: 'text' }, type: 'thought_summary' };
    case 'signature':
      return { signature: piece.value, type: 'thought_signature' };
    case 'citation':
      return { annotations: [annotationOf(scene, piece)], type: 'text_annotation_delta' };
    case 'input':
      return isCustom(scene, piece.call) ? undefined : { arguments: piece.text, type: 'arguments_delta' };
    case 'call':
      return piece.custom === true ? { arguments: wrapped(scene, piece.call), type: 'arguments_delta' } : undefined;
    default:
      return undefined;
  }
}

/** There are no tools with free-form input: their text comes as one member of an object. */
function wrapped(scene: Scene, call: number): string {
  return JSON.stringify({ input: inputOf(scene, call) });
}

function isCustom({ pieces }: Scene, call: number): boolean {
  return pieces.some((piece) => piece.type === 'call' && piece.call === call && piece.custom === true);
}

/** Places are counted in bytes. */
function annotationOf(scene: Scene, { url, title, start, end }: Piece & { type: 'citation' }): Member {
  const text = scene.pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');
  const bytes = (place: number): number => Buffer.byteLength(text.slice(0, place));
  return { start_index: bytes(start), end_index: bytes(end), url, title, type: 'url_citation' };
}

/** Pieces in steps; calls that are made at the same time are open at the same time. */
function stepsOf(scene: Scene): Step[] {
  const steps: Step[] = [];
  scene.pieces.forEach((piece, at) => {
    const kind = kindOf(piece);
    if (kind === undefined) return;
    const last = kind.startsWith('call') ? steps.findLast((step) => step.kind === kind) : steps.at(-1);
    const step = last?.kind === kind ? last : { kind, start: startOf(piece, kind), deltas: [], from: at, to: at };
    if (step !== last) steps.push(step);
    step.to = at;
    const delta = deltaOf(scene, piece);
    if (delta !== undefined) step.deltas.push({ at, delta });
  });
  return steps;
}

function usageOf({ input, cached, output, reasoning }: Tokens): Member {
  return {
    total_tokens: input + output,
    total_input_tokens: input,
    input_tokens_by_modality: [{ modality: 'text', tokens: input }],
    total_cached_tokens: cached,
    total_output_tokens: output - reasoning,
    total_tool_use_tokens: 0,
    total_thought_tokens: reasoning,
  };
}

const times = { created: '2026-09-21T12:53:20Z', updated: '2026-09-21T12:53:22Z' };
const id = 'v1_ChdiR3Q';

function event(type: string, members: Member): string {
  return `event: ${type}\ndata: ${JSON.stringify({ ...members, event_type: type })}\n\n`;
}

/** The interaction at its end. */
function ended(scene: Scene, { body }: Asked, more: Member = {}): Member {
  const { stop, tokens } = scene;
  const isWithheld = stop === 'refusal' || stop === 'content_filter';
  return {
    id,
    status: statusOf[stop],
    ...(isWithheld && { errors: [{ code: stop, message: 'The answer was withheld.' }] }),
    usage: usageOf(tokens),
    ...times,
    service_tier: 'standard',
    ...more,
    object: 'interaction',
    model: body.model ?? 'a-model',
  };
}

function write(scene: Scene, asked: Asked): string[] {
  const steps = stepsOf(scene);
  const interaction = { id, status: 'in_progress', object: 'interaction', model: asked.body.model ?? 'a-model' };
  const frames = [
    event('interaction.created', { interaction }),
    event('interaction.status_update', { interaction_id: id, status: 'in_progress' }),
  ];
  const isWhole = scene.ending === 'whole';
  scene.pieces.forEach((_, at) => {
    for (const [index, { start, deltas, from, to }] of steps.entries()) {
      if (from === at) frames.push(event('step.start', { index, step: start }));
      for (const piece of deltas) if (piece.at === at) frames.push(event('step.delta', { index, delta: piece.delta }));
      if (to === at && (isWhole || at < scene.pieces.length - 1)) frames.push(event('step.stop', { index }));
    }
  });
  if (scene.ending === 'error') frames.push(event('error', { error: { code: 'unavailable', message: 'Overloaded' } }));
  if (!isWhole) return frames;
  return [
    ...frames,
    event('interaction.completed', { interaction: ended(scene, asked) }),
    'event: done\ndata: [DONE]\n\n',
  ];
}

function whole(scene: Scene, asked: Asked): object {
  return ended(scene, asked, { steps: stepsOf(scene).map(filled) });
}

/** A step with all that its deltas add. */
function filled({ start, deltas }: Step): Member {
  const told = deltas.map(({ delta }) => delta);
  const texts = told.flatMap(({ text }) => (typeof text === 'string' ? text : []));
  const annotations = told.flatMap((delta) => list(delta.annotations));
  const step = { ...start };
  if (start.type === 'model_output')
    step.content = [{ text: texts.join(''), ...(annotations.length > 0 && { annotations }), type: 'text' }];
  if (start.type === 'thought') {
    step.signature = told.find(({ signature }) => signature !== undefined)?.signature;
    const summary = told.map(({ content }) => (content === undefined ? '' : String(object(content).text)));
    step.summary = [{ text: summary.join(''), type: 'text' }];
  }
  const json = told.map((delta) => delta.arguments ?? '').join('');
  if (start.type === 'function_call') step.arguments = parsed(json) ?? {};
  return step;
}

const codes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'authentication',
  429: 'rate_limit_exceeded',
  503: 'unavailable',
};

function refuse({ status, message }: Refused): unknown {
  return { error: { code: codes[status] ?? 'internal', message } };
}

function complaint({ headers, body }: Asked): string | undefined {
  if (headers['x-goog-api-key'] === undefined && headers.authorization === undefined) return 'no key';
  if (typeof body.model !== 'string' || body.model === '') return 'a model is required';
  if (body.input === undefined || (Array.isArray(body.input) && body.input.length === 0)) return 'input is required';
  return disordered(stepsIn(body));
}

/** A result belongs to a call that was made, and every call has one. */
function disordered(steps: readonly Member[]): string | undefined {
  const open = new Set<unknown>();
  for (const step of steps) {
    if (step.type === 'function_call') open.add(step.id);
    if (step.type === 'function_result' && !open.delete(step.call_id)) return 'a result for no call';
    if (step.type === 'user_input' && open.size > 0) return 'a function call without its result';
  }
  return open.size === 0 ? undefined : 'a function call without its result';
}

/** The steps of a request; some clients put a result into what the user said. */
function stepsIn(body: Readonly<Member>): readonly Member[] {
  return list(body.input).flatMap((step) => {
    const content = step.type === 'user_input' ? list(step.content) : [];
    return content.some(({ type }) => type === 'function_result') ? content : [step];
  });
}

function look(body: Readonly<Record<string, unknown>>): Look {
  const steps = stepsIn(body);
  const config = object(body.generation_config);
  const format = list([body.response_format].flat()).find(({ schema }) => schema !== undefined);
  const of = (type: string) => steps.filter((step) => step.type === type);
  return {
    model: String(body.model),
    stream: body.stream === true,
    tools: list(body.tools).map(({ name }) => String(name)),
    stops: [config.stop_sequences ?? []].flat().map(String),
    calls: of('function_call').map((call) => ({
      id: String(call.id),
      name: String(call.name),
      input: call.arguments,
    })),
    results: of('function_result').map(({ call_id, result }) => ({ id: String(call_id), text: textOf(result) })),
    signatures: steps.flatMap(({ signature }) => (signature === undefined ? [] : String(signature))),
    schema: format?.schema,
  };
}

/** Interactions on the wire. */
export const interactions: Wire = {
  path: '/v1beta/interactions',
  write,
  whole,
  takesStops: true,
  callId,
  proves: (frame) => /^event: interaction\.completed$/m.test(frame),
  refuse,
  complaint,
  look,
};
