/** The events of a Responses stream as text, counted: items, parts, pieces, and what ends each of them. */
import type { JsonObject } from '../../dialect.ts';
import { type OutputItem, type Part, partJson } from './output.ts';

/** One event; its type is one of those we know, so nothing in it can break the framing. */
export function frameOf(type: string, payload: string): string {
  return `event: ${type}\ndata: ${payload}\n\n`;
}

/** Writes events, each with the next `sequence_number`, and notes in the items what the client knows by then. */
export class Writer {
  /** The number of the next event. */
  sequence = 0;

  /** Any event: its type and its other members as JSON. */
  event(type: string, members?: string): string {
    const rest = members === undefined ? '' : `${members},`;
    return frameOf(type, `{"type":"${type}",${rest}"sequence_number":${this.sequence++}}`);
  }

  /** An item begins. */
  added(item: OutputItem, more?: JsonObject): string {
    return this.event('response.output_item.added', `"output_index":${item.index},"item":${startOf(item, more)}`);
  }

  /** A part of an item begins, empty. */
  partAdded(item: OutputItem, part: Part): string {
    return this.event(part.term.added, `${part.address(item)},"part":${partJson(part, '""')}`);
  }

  /** A piece of a part. */
  text(part: Part, text: string): string {
    return `${part.head}${part.said.tell(text)}${part.tail}${this.sequence++}}\n\n`;
  }

  /** A piece of a text with what is known of its tokens. */
  tokens(item: OutputItem, part: Part, text: string, logprobs: readonly JsonObject[]): string {
    const delta = part.said.tell(text);
    for (const logprob of logprobs) part.logprobs.push(logprob);
    const members = `${part.address(item)},"delta":${delta},"logprobs":${JSON.stringify(logprobs)}`;
    return this.event(part.term.delta, members);
  }

  /** A source of a text. */
  annotation(item: OutputItem, part: Part, annotation: JsonObject): string {
    const index = part.annotations.push(annotation) - 1;
    const members = `${part.address(item)},"annotation_index":${index},"annotation":${JSON.stringify(annotation)}`;
    return this.event('response.output_text.annotation.added', members);
  }

  /** Whatever is still to be said at the end of a part. */
  partDone(item: OutputItem, part: Part): string {
    return part.done ? '' : this.textDone(item, part) + this.#partDone(item, part);
  }

  /** The whole text of a part, once. */
  textDone(item: OutputItem, part: Part): string {
    if (part.textDone) return '';
    part.textDone = true;
    const logprobs = part.kind === 'output_text' ? `,"logprobs":${JSON.stringify(part.logprobs)}` : '';
    return this.event(part.term.textDone, `${part.address(item)},"${part.term.field}":${part.said.json}${logprobs}`);
  }

  #partDone(item: OutputItem, part: Part): string {
    part.done = true;
    return this.event(part.term.done, `${part.address(item)},"part":${part.json}`);
  }

  /** A piece of a call's input. */
  input(item: OutputItem, text: string): string {
    if (item.inputHead === '') return '';
    return `${item.inputHead}${item.tellInput(text)},"sequence_number":${this.sequence++}}\n\n`;
  }

  /** The whole input of a call. */
  inputDone(item: OutputItem): string {
    const input = item.tool?.input;
    if (input === undefined || item.inputDone) return '';
    item.inputDone = true;
    return this.event(`${input.event}.done`, `${item.address},"${input.field}":${item.inputJson}`);
  }

  /** Whatever is still to be said before an item is done. */
  settled(item: OutputItem): string {
    let out = '';
    for (const part of item.summary) out += this.partDone(item, part);
    for (const part of item.parts) out += this.partDone(item, part);
    return out + this.inputDone(item);
  }

  /** An item is done; `whole` is the item where it is known whole. */
  done(item: OutputItem, whole: string): string {
    const out = this.settled(item);
    item.done = whole;
    return out + this.event('response.output_item.done', `"output_index":${item.index},"item":${whole}`);
  }
}

/** The item at its start, with nothing said yet. */
function startOf(item: OutputItem, more?: JsonObject): string {
  if (more === undefined) return item.json('in_progress');
  return JSON.stringify('status' in more ? { ...more, status: 'in_progress' } : more);
}
