/** The output items of Responses that a scene is made of: what belongs to each, and each as a whole. */
import type { Piece, Scene } from '../scenes.ts';
import { type Asked, object } from './wire.ts';

/** One item of an answer. */
export interface Item {
  readonly id: string;
  readonly type: 'message' | 'reasoning' | 'function_call' | 'custom_tool_call';
  /** Its place in the output. */
  readonly index: number;
  /** The scene's number of the call, for a call. */
  readonly call: number | undefined;
  readonly pieces: Piece[];
  /** Where in the scene its pieces begin and end. */
  readonly first: number;
  last: number;
}

/** What a request says about how its answer is to be written. */
export interface Manner {
  summary: boolean;
  encrypted: boolean;
  obfuscation: boolean;
}

/** The manner that a request asks for: nothing of it comes unasked. */
export function mannerOf({ body }: Asked): Manner {
  const include: readonly unknown[] = Array.isArray(body.include) ? body.include : [];
  return {
    summary: Boolean(object(body.reasoning).summary),
    encrypted: include.includes('reasoning.encrypted_content'),
    obfuscation: object(body.stream_options).include_obfuscation !== false,
  };
}

/** The pieces of a scene as Responses has them: it knows no stop strings, so the model goes on. */
export function piecesOf({ pieces, stopSequence }: Scene): readonly Piece[] {
  if (stopSequence === undefined) return pieces;
  const more = [stopSequence.slice(0, 1), `${stopSequence.slice(1)} and`, ' more.'];
  return [...pieces, ...more.map((text): Piece => ({ type: 'text', text }))];
}

/** An id that no other scene has. */
export function idOf(prefix: string, scene: Scene, index: number | string = 'a'): string {
  return `${prefix}0c${index}${Buffer.from(scene.name).toString('hex').padEnd(16, '0').slice(-16)}`;
}

/** The items of a scene, in order of their beginnings. */
export function itemsOf(scene: Scene, pieces: readonly Piece[] = piecesOf(scene)): Item[] {
  const items: Item[] = [];
  pieces.forEach((piece, at) => {
    const item = itemFor(piece, items) ?? begun(scene, piece, items.length, at);
    if (item.first === at) items.push(item);
    item.pieces.push(piece);
    item.last = at;
  });
  return items;
}

function itemFor(piece: Piece, items: readonly Item[]): Item | undefined {
  if (piece.type === 'input') return items.find(({ call }) => call === piece.call);
  if (piece.type === 'call' || piece.type === 'redacted') return undefined;
  const last = items.at(-1);
  const type = piece.type === 'reasoning' || piece.type === 'signature' ? 'reasoning' : 'message';
  return last?.type === type && last.pieces[0]?.type !== 'redacted' ? last : undefined;
}

const prefixes = { message: 'msg_', reasoning: 'rs_', function_call: 'fc_', custom_tool_call: 'ctc_' } as const;

function begun(scene: Scene, piece: Piece, index: number, at: number): Item {
  const type = typeOf(piece);
  const call = piece.type === 'call' ? piece.call : undefined;
  return { id: idOf(prefixes[type], scene, index), type, index, call, pieces: [], first: at, last: at };
}

function typeOf(piece: Piece): Item['type'] {
  if (piece.type === 'call') return piece.custom ? 'custom_tool_call' : 'function_call';
  return ['reasoning', 'signature', 'redacted'].includes(piece.type) ? 'reasoning' : 'message';
}

/** The id of a call. */
export function callId(call: number): string {
  return `call_7Rk${call}`;
}

/** All text of an item, or the input of a call. */
export function textOfItem({ pieces }: Item): string {
  return pieces.map((piece) => ('text' in piece ? piece.text : '')).join('');
}

/** The one content part of a message, with as much of it as is said. */
export function partOf({ pieces }: Item, text: string, annotations: readonly object[]): object {
  if (pieces[0]?.type === 'refusal') return { type: 'refusal', refusal: text };
  return { type: 'output_text', annotations, logprobs: [], text };
}

/** The annotation of a citation. */
export function annotationOf({ url, title, start, end }: Piece & { type: 'citation' }): object {
  return { type: 'url_citation', end_index: end, start_index: start, title, url };
}

/** All annotations of a message. */
export function annotationsOf({ pieces }: Item): object[] {
  return pieces.flatMap((piece) => (piece.type === 'citation' ? annotationOf(piece) : []));
}

/** The member that holds a call's input. */
export function inputField({ type }: Item): 'arguments' | 'input' {
  return type === 'custom_tool_call' ? 'input' : 'arguments';
}

/** The item at its beginning: what it will say is still missing. Thinking has a first cipher, which the last one replaces. */
export function started(item: Item, manner: Manner): object {
  if (item.type === 'reasoning') return reasoningOf(item, manner, [], 'gAAAAABfirst');
  if (item.type === 'message')
    return { id: item.id, type: 'message', status: 'in_progress', content: [], role: 'assistant' };
  return calledOf(item, 'in_progress', '');
}

/** The item as a whole. */
export function finished(item: Item, manner: Manner, status: string): object {
  if (item.type === 'reasoning') {
    const text = textOfItem(item);
    const summary = manner.summary && text !== '' ? [{ type: 'summary_text', text }] : [];
    return reasoningOf(item, manner, summary, cipherOf(item));
  }
  if (item.type !== 'message') return calledOf(item, 'completed', textOfItem(item));
  const content = [partOf(item, textOfItem(item), annotationsOf(item))];
  return { id: item.id, type: 'message', status, content, role: 'assistant' };
}

/** The encrypted content of thinking. */
export function cipherOf({ pieces }: Item): string | undefined {
  const ciphers = pieces.flatMap((piece) =>
    piece.type === 'signature' ? piece.value : piece.type === 'redacted' ? piece.data : [],
  );
  return ciphers[0];
}

function reasoningOf({ id }: Item, { encrypted }: Manner, summary: object[], cipher: string | undefined): object {
  return { id, type: 'reasoning', ...(encrypted && { encrypted_content: cipher }), summary };
}

function calledOf(item: Item, status: string, input: string): object {
  const { id, type, call = 0, pieces } = item;
  const name = pieces.flatMap((piece) => (piece.type === 'call' ? piece.name : []))[0] ?? item.type;
  return { id, type, status, [inputField(item)]: input, call_id: callId(call), name };
}
