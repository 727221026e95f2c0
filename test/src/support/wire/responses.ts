/** Responses as OpenAI writes them: typed, counted events over items, and the whole Response around them. */
import type { Piece, Refused, Scene, Stop, Tokens } from '../scenes.ts';
import { complaint, look } from './history.ts';
import {
  annotationOf,
  annotationsOf,
  callId,
  finished,
  type Item,
  idOf,
  inputField,
  itemsOf,
  type Manner,
  mannerOf,
  partOf,
  piecesOf,
  started,
  textOfItem,
} from './items.ts';
import { type Asked, object, type Wire } from './wire.ts';

/** Why a response is not complete. */
const incompleteOf: Readonly<Partial<Record<Stop, string>>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

const defaults: Readonly<Record<string, unknown>> = {
  background: false,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  store: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
  metadata: {},
};

/** The Response object, with what the request asked repeated in it. */
function responseOf(scene: Scene, { body }: Asked, status: string, more: object = {}): object {
  const echo = Object.entries(defaults).map(([name, value]) => [name, body[name] ?? value]);
  return {
    id: idOf('resp_', scene),
    object: 'response',
    created_at: 1_790_000_000,
    status,
    completed_at: status === 'completed' ? 1_790_000_002 : null,
    error: null,
    incomplete_details: null,
    model: body.model,
    moderation: null,
    output: [],
    ...Object.fromEntries(echo),
    reasoning: { effort: null, summary: null, ...object(body.reasoning) },
    service_tier: 'default',
    text: { verbosity: 'medium', format: { type: 'text' }, ...object(body.text) },
    usage: null,
    ...more,
  };
}

function usageOf({ input, cached, output, reasoning }: Tokens): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

/** The Response at its end. */
function whole(scene: Scene, asked: Asked): object {
  const reason = incompleteOf[scene.stop];
  const status = reason === undefined ? 'completed' : 'incomplete';
  const output = itemsOf(scene).map((item) => finished(item, mannerOf(asked), status));
  const details = reason === undefined ? null : { reason };
  return responseOf(scene, asked, status, { output, incomplete_details: details, usage: usageOf(scene.tokens) });
}

/** The events of one answer. */
class Events {
  readonly out: string[] = [];
  readonly #manner: Manner;
  readonly #status: string;

  constructor(manner: Manner, status: string) {
    this.#manner = manner;
    this.#status = status;
  }

  event(type: string, members: object): void {
    const data = { type, ...members, sequence_number: this.out.length };
    this.out.push(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  begin(item: Item): void {
    this.event('response.output_item.added', { item: started(item, this.#manner), output_index: item.index });
    if (item.type === 'message')
      this.event('response.content_part.added', { ...partAt(item), part: partOf(item, '', []) });
    else if (this.#summarised(item))
      this.event('response.reasoning_summary_part.added', { ...summaryAt(item), part: summaryOf('') });
  }

  piece(item: Item, piece: Piece): void {
    switch (piece.type) {
      case 'text':
        return this.#delta('response.output_text', { ...partAt(item), delta: piece.text, logprobs: [] });
      case 'refusal':
        return this.#delta('response.refusal', { ...partAt(item), delta: piece.text });
      case 'reasoning':
        if (!this.#manner.summary) return;
        return this.#delta('response.reasoning_summary_text', { ...summaryAt(item), delta: piece.text });
      case 'input':
        return this.#delta(inputEvent(item), { ...itemAt(item), delta: piece.text });
      case 'citation': {
        const annotation_index = item.pieces.filter(({ type }) => type === 'citation').indexOf(piece);
        const members = { ...partAt(item), annotation: annotationOf(piece), annotation_index };
        return this.event('response.output_text.annotation.added', members);
      }
    }
  }

  #delta(event: string, members: object): void {
    this.event(`${event}.delta`, { ...members, ...(this.#manner.obfuscation && { obfuscation: 'Zq3tWbR0y' }) });
  }

  end(item: Item): void {
    if (item.type === 'message') this.#endMessage(item);
    else if (this.#summarised(item)) this.#endSummary(item);
    else if (item.type !== 'reasoning')
      this.event(`${inputEvent(item)}.done`, { ...itemAt(item), [inputField(item)]: textOfItem(item) });
    const done = finished(item, this.#manner, this.#status);
    this.event('response.output_item.done', { item: done, output_index: item.index });
  }

  #endMessage(item: Item): void {
    const text = textOfItem(item);
    if (item.pieces[0]?.type === 'refusal') this.event('response.refusal.done', { ...partAt(item), refusal: text });
    else this.event('response.output_text.done', { ...partAt(item), logprobs: [], text });
    this.event('response.content_part.done', { ...partAt(item), part: partOf(item, text, annotationsOf(item)) });
  }

  #endSummary(item: Item): void {
    const text = textOfItem(item);
    this.event('response.reasoning_summary_text.done', { ...summaryAt(item), text });
    this.event('response.reasoning_summary_part.done', { ...summaryAt(item), part: summaryOf(text) });
  }

  #summarised(item: Item): boolean {
    return item.type === 'reasoning' && this.#manner.summary && textOfItem(item) !== '';
  }
}

function itemAt({ id, index }: Item): object {
  return { item_id: id, output_index: index };
}

function partAt(item: Item): object {
  return { content_index: 0, ...itemAt(item) };
}

function summaryAt(item: Item): object {
  return { ...itemAt(item), summary_index: 0 };
}

function summaryOf(text: string): object {
  return { type: 'summary_text', text };
}

function inputEvent({ type }: Item): string {
  return type === 'custom_tool_call' ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
}

function write(scene: Scene, asked: Asked): string[] {
  const status = incompleteOf[scene.stop] === undefined ? 'completed' : 'incomplete';
  const events = new Events(mannerOf(asked), status);
  const pieces = piecesOf(scene);
  const items = itemsOf(scene, pieces);
  for (const type of ['created', 'in_progress'])
    events.event(`response.${type}`, { response: responseOf(scene, asked, 'in_progress') });
  for (const [at, piece] of pieces.entries()) {
    const item = items.find((known) => known.pieces.includes(piece)) as Item;
    if (item.first === at) events.begin(item);
    events.piece(item, piece);
    if (item.last === at && (scene.ending === 'whole' || at < pieces.length - 1)) events.end(item);
  }
  if (scene.ending === 'whole') events.event(`response.${status}`, { response: whole(scene, asked) });
  if (scene.ending === 'error') fail(events, scene, asked);
  return events.out;
}

/** What went wrong is said thrice: in an event of its own, in the two shapes that are seen there, and in the failed response. */
function fail(events: Events, scene: Scene, asked: Asked): void {
  const said = { code: 'server_is_overloaded', message: 'Overloaded' };
  events.event('error', { ...said, param: null, error: { type: 'server_error', ...said, param: null } });
  events.event('response.failed', { response: responseOf(scene, asked, 'failed', { error: said }) });
}

const refusals: Readonly<Record<number, readonly [type: string, code: string | null]>> = {
  400: ['invalid_request_error', null],
  401: ['invalid_request_error', 'invalid_api_key'],
  429: ['requests', 'rate_limit_exceeded'],
};

function refuse({ status, message }: Refused): unknown {
  const [type, code] = refusals[status] ?? ['server_error', null];
  return { error: { message, type, param: null, code } };
}

/** Responses on the wire. */
export const responses: Wire = {
  path: '/v1/responses',
  write,
  whole,
  takesStops: false,
  callId,
  proves: (frame) => /^event: response\.(completed|incomplete)$/m.test(frame),
  refuse,
  complaint,
  look,
};
