/** The steps that the client sees: which are open, under which index, and how their deltas begin and end. */
import { type BlockStart, compact, type JsonObject, JsonText } from '../../dialect.ts';

/** How the pieces of a block look on the wire. */
export interface Writer {
  /** The step that it is part of: several blocks of this dialect's own frames may be in one. */
  readonly step: number;
  /** The step as it starts, as JSON text. */
  readonly start: string;
  /** The delta before and behind the one string that is its piece. */
  readonly opening: string;
  readonly closing: string;
  /** How far the arguments of a call have come. */
  readonly json: JsonText | undefined;
  /** Whether its input is free text, which travels as the one member of an object. */
  readonly isWrapped: boolean;
  /** The part of a summary that it has come to. */
  part: number | undefined;
  /** The index under which `head` was made. */
  index: number | undefined;
  /** All that stands before its piece. */
  head: string;
}

/** The steps on the wire. */
export class Steps {
  readonly #open = new Map<number, number>();
  #next = 0;

  /** The index of a step while it is open. */
  indexOf(step: number): number | undefined {
    return this.#open.get(step);
  }

  /** Whether the client waits for the end of a step. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** A step opens; returns its index. */
  open(step: number): number {
    const index = this.#next++;
    this.#open.set(step, index);
    return index;
  }

  /** A step ends; returns the index that it had. */
  close(step: number): number | undefined {
    const index = this.#open.get(step);
    this.#open.delete(step);
    return index;
  }

  /** Ends all steps, in their order. */
  closeAll(): readonly number[] {
    const open = [...this.#open.values()];
    this.#open.clear();
    return open;
  }
}

/** The start of a step. */
export function startEvent(index: number, step: string): string {
  return `event: step.start\ndata: {"index":${index},"step":${step},"event_type":"step.start"}\n\n`;
}

/** A delta of a step, as JSON text. */
export function deltaEvent(index: number, delta: string): string {
  return `event: step.delta\ndata: {"index":${index},"delta":${delta},"event_type":"step.delta"}\n\n`;
}

/** The end of a step. */
export function stopEvent(index: number): string {
  return `event: step.stop\ndata: {"index":${index},"event_type":"step.stop"}\n\n`;
}

const TAIL = ',"event_type":"step.delta"}\n\n';

/** Writes one piece of a block in a step that is open. */
export function piece(writer: Writer, index: number, text: string): string {
  if (writer.index !== index) {
    writer.index = index;
    writer.head = `event: step.delta\ndata: {"index":${index},"delta":${writer.opening}`;
  }
  return writer.head + JSON.stringify(text) + writer.closing + TAIL;
}

const text = ['{"type":"model_output"}', '{"type":"text","text":', '}'] as const;
const thought = ['{"type":"thought"}', '{"type":"thought_summary","content":{"type":"text","text":', '}}'] as const;
const input = ['{"type":"arguments_delta","arguments":', '}'] as const;

/** The writer of a text, or of the text that belongs to a medium. */
export function textWriter(step: number): Writer {
  return writer(step, ...text);
}

/** The writer of a thought. */
export function thoughtWriter(step: number): Writer {
  return writer(step, ...thought);
}

/** The writer of a call that the client runs. */
export function callWriter(step: number, { toolCall }: BlockStart, id: string): Writer {
  const start: JsonObject = compact({ type: 'function_call', id, name: toolCall?.name, arguments: {} });
  const isWrapped = toolCall?.format === 'text';
  return { ...writer(step, JSON.stringify(start), ...input), json: new JsonText(), isWrapped };
}

function writer(step: number, start: string, opening: string, closing: string): Writer {
  return {
    step,
    start,
    opening,
    closing,
    json: undefined,
    isWrapped: false,
    part: undefined,
    index: undefined,
    head: '',
  };
}
