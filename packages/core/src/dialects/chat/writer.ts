/** How the pieces of one block become chunks: a head and a tail that stay, and the one text between them. */
import { type BlockEnd, type BlockStart, type TokenLogprob, wrapClosing, wrapPiece } from '../../dialect.ts';
import { encodeLogprobs } from './logprobs.ts';

/** The end of a chunk that carries a delta. */
export const END = ',"finish_reason":null}]}\n\n';

/** How the deltas of one block are written. */
export interface Writer {
  choice: number;
  kind: BlockStart['kind'];
  /** The chunk up to the delta's text. */
  head: string;
  /** Between two copies of the text, where it is written twice. */
  between: string | undefined;
  /** The chunk after the text. */
  tail: string;
  /** Place among the calls of the choice. */
  call: number;
  /** Whether any input has gone out. */
  begun: boolean;
  json: boolean;
  /** Free-form input on its way as the string of a JSON object. */
  wrapped: boolean;
  part: number | undefined;
}

/** A piece of text, with the probabilities of its tokens where they are known. */
export function writeText(writer: Writer, text: string, logprobs?: readonly TokenLogprob[]): string {
  if (logprobs === undefined) return text === '' ? '' : writer.head + JSON.stringify(text) + writer.tail;
  const tokens = encodeLogprobs(logprobs);
  const lists = writer.kind === 'refusal' ? { content: null, refusal: tokens } : { content: tokens, refusal: null };
  return `${writer.head}${JSON.stringify(text)}},"logprobs":${JSON.stringify(lists)}${END}`;
}

/** A piece of reasoning; a blank line stands between the parts of a summary. */
export function writeReasoning(writer: Writer, text: string, part: number | undefined): string {
  if (text === '') return '';
  const another = part !== undefined && writer.part !== undefined && part !== writer.part;
  if (part !== undefined) writer.part = part;
  const json = JSON.stringify(another ? `\n\n${text}` : text);
  const { head, between, tail } = writer;
  return between === undefined ? head + json + tail : head + json + between + json + tail;
}

/** A piece of a call's input. */
export function writeInput(writer: Writer, text: string): string {
  if (text === '') return '';
  writer.begun = true;
  return writer.head + JSON.stringify(writer.wrapped ? wrapPiece(text) : text) + writer.tail;
}

/** What a call still lacks at its end: one without arguments has an empty object, which clients can parse. */
export function closeCall(writer: Writer, status: BlockEnd['status'], final: BlockEnd['final']): string {
  const { begun, head, json, tail, wrapped } = writer;
  if (wrapped) return head + JSON.stringify((begun ? '' : wrapPiece(final?.input ?? '')) + wrapClosing) + tail;
  const input = begun ? '' : final?.input || (json && status !== 'incomplete' ? '{}' : '');
  return input === '' ? '' : head + JSON.stringify(input) + tail;
}
