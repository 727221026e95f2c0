/** Calls that wait, in their order, until their arguments are whole: the dialect has no pieces of them. */
import {
  asObject,
  type BlockStart,
  type CanonicalError,
  isDeeper,
  JsonText,
  type Limits,
  Pieces,
  parseJson,
  tooLarge,
} from '../../dialect.ts';
import { notJson } from './error.ts';

/** A call that is not written yet. */
interface Waiting {
  readonly start: BlockStart;
  readonly input: Pieces;
  readonly json: JsonText;
  length: number;
  signature: string | undefined;
  isOver: boolean;
  /** Whether its upstream says itself that it has no end. */
  isGivenUp: boolean;
}

/** A call whose arguments are whole: the text of one JSON object on one line. */
export interface WholeCall {
  readonly start: BlockStart;
  readonly args: string;
  readonly signature: string | undefined;
}

const overfull = tooLarge('answer_too_large', 'The arguments of a tool call are too large to be kept.');

/** Holds calls back. */
export class CallQueue {
  readonly #limits: Limits;
  readonly #waiting = new Map<number, Waiting>();
  #held = 0;
  /** Whether a call was left out because its arguments have no end. */
  isShort = false;
  /** Whether its upstream did not say so. */
  torn = false;
  /** Why no call can be written any more. */
  fault: CanonicalError | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Whether any call waits. */
  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  start(start: BlockStart): void {
    this.#waiting.set(start.block, {
      start,
      input: new Pieces(),
      json: new JsonText(),
      length: 0,
      signature: start.toolCall?.signature,
      isOver: false,
      isGivenUp: false,
    });
  }

  /** Adds a piece of arguments. */
  add(block: number, text: string): void {
    const call = this.#waiting.get(block);
    if (call === undefined) return;
    call.input.add(text);
    call.length += text.length;
    if (call.start.toolCall?.format === 'json') call.json.add(text);
    this.#held += text.length;
    if (this.#held > this.#limits.maxAccumulatedBytes) this.fault = overfull;
  }

  sign(block: number, value: string): void {
    const call = this.#waiting.get(block);
    if (call !== undefined) call.signature = value;
  }

  /** The arguments of a call are over; some upstreams say them only now. */
  end(block: number, late: string | undefined, isGivenUp: boolean): void {
    const call = this.#waiting.get(block);
    if (call === undefined) return;
    if (call.length === 0 && late !== undefined) this.add(block, late);
    call.isOver = true;
    call.isGivenUp = isGivenUp;
  }

  /** The calls that can be written, in their order; `forced` counts what could be whole as whole, for text comes next. */
  take(forced: boolean): readonly WholeCall[] {
    const calls: WholeCall[] = [];
    for (const [block, call] of this.#waiting) {
      if (!call.isOver && !(forced && isWhole(call))) break;
      this.#waiting.delete(block);
      this.#held -= call.length;
      const args = this.#argsOf(call);
      if (args !== undefined) calls.push({ start: call.start, args, signature: call.signature });
    }
    return calls;
  }

  #argsOf({ start, input, json, length, isGivenUp }: Waiting): string | undefined {
    if (start.toolCall?.format === 'text') return JSON.stringify({ input: input.text });
    if (length === 0 || json.state === 'empty') return '{}';
    if (json.state === 'cut') {
      this.isShort = true;
      this.torn ||= !isGivenUp;
      return undefined;
    }
    const args = json.state === 'whole' ? objectText(input.text, this.#limits.maxDepth) : undefined;
    if (args === undefined) this.fault = notJson;
    return args;
  }
}

/** A call without arguments may still get some, so it is not whole before its end. */
function isWhole({ start, json }: Waiting): boolean {
  return start.toolCall?.format === 'json' && json.ended;
}

/** An object as JSON on one line; what is on one line already goes on as it is. */
export function objectText(input: string, maxDepth: number): string | undefined {
  const text = input.trim();
  if (text === 'null') return '{}';
  if (!text.startsWith('{') || isDeeper(text, maxDepth)) return undefined;
  return /[\r\n]/.test(text) ? JSON.stringify(asObject(parseJson(text))) : text;
}
