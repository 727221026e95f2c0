/** Calls of the client's functions in one candidate: whole, in pieces, with and without ids. */
import { asObject, asText, type CanonicalError, type JsonObject } from '../../dialect.ts';
import { Arguments } from './arguments.ts';
import { notJson } from './error.ts';
import type { Sink } from './sink.ts';

/** A call whose arguments go on in later parts. */
interface OpenCall {
  readonly block: number;
  readonly args: Arguments;
}

/** Reads the `functionCall` parts of one candidate. */
export class Calls {
  readonly #choice: number;
  readonly #sink: Sink;
  /** What was called under each id that the upstream gave. */
  readonly #told = new Map<string, string>();
  /** How often each call came without an id. */
  readonly #unnamed = new Map<string, number>();
  #open: OpenCall | undefined;
  #count = 0;

  constructor(choice: number, sink: Sink) {
    this.#choice = choice;
    this.#sink = sink;
  }

  /** Whether there was any call. */
  get any(): boolean {
    return this.#count > 0;
  }

  /** Whether no call waits for more of its arguments. */
  get whole(): boolean {
    return this.#open === undefined;
  }

  /** Reads a call or a piece of one; only its first piece has a name. */
  read(call: JsonObject, signature: string | undefined): void {
    const name = asText(call.name);
    if (name !== undefined) this.#begin(name, call, signature);
    else if (this.#open !== undefined) this.#goOn(this.#open, call, signature);
    else if (call.args !== undefined || call.partialArgs !== undefined)
      this.#sink.warn('content_dropped', 'A tool call without a name was left out.');
  }

  /** Ends a call that was left open; `cut` says that a limit ended the answer. */
  end(cut = false): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    this.#grow(open.block, open.args.end(cut));
    this.#sink.shut(open.block, cut ? 'incomplete' : undefined);
  }

  #begin(name: string, call: JsonObject, signature: string | undefined): void {
    this.end();
    const inPieces = call.willContinue === true || call.partialArgs !== undefined;
    const input = inputOf(call.args);
    if (!inPieces && this.#isTold(asText(call.id), name + input)) return;
    const block = this.#start(name, asText(call.id));
    if (signature !== undefined) this.#sink.put(block, { type: 'signature', value: signature, mode: 'set' });
    if (inPieces) this.#goOn({ block, args: new Arguments(this.#sink.options.limits.maxDepth) }, call, undefined);
    else {
      this.#sink.put(block, { type: 'input', text: input });
      this.#sink.shut(block);
    }
  }

  /** Whether the same call came before, under the same id or without one: servers send calls again at the end of a stream. */
  #isTold(id: string | undefined, call: string): boolean {
    if (id !== undefined && this.#told.get(id) === call) return this.#again();
    const unnamed = this.#unnamed.size === 0 ? 0 : (this.#unnamed.get(call) ?? 0);
    if (id === undefined) this.#unnamed.set(call, unnamed + 1);
    else this.#told.set(id, call);
    if (id !== undefined && unnamed > 0) {
      this.#unnamed.set(call, unnamed - 1);
      return this.#again();
    }
    this.#sink.keep(call.length);
    return false;
  }

  #again(): true {
    this.#sink.warn('id_repeated', 'A tool call that came twice was left out.');
    return true;
  }

  #start(name: string, id: string | undefined): number {
    const { ids } = this.#sink.options;
    const number = this.#choice * 10_000 + this.#count++;
    const unique = ids.unique(id ?? ids.invent('call_', number));
    return this.#sink.open(this.#choice, 'tool_call', {
      toolCall: { id: unique, name, format: 'json', executor: 'client', kind: 'function' },
    });
  }

  #goOn(open: OpenCall, call: JsonObject, signature: string | undefined): void {
    this.#open = open;
    if (signature !== undefined) this.#sink.put(open.block, { type: 'signature', value: signature, mode: 'set' });
    const args = asObject(call.args);
    if (args !== undefined) this.#grow(open.block, open.args.assign(args));
    const grown = open.args.add(call.partialArgs);
    if (grown === undefined) return this.#sink.fail(badPath);
    for (const { patch, text } of grown) {
      this.#sink.put(open.block, patch);
      this.#grow(open.block, text);
    }
    if (call.willContinue !== true) this.end();
  }

  #grow(block: number, text: string): void {
    if (text === '') return;
    this.#sink.keep(text.length);
    this.#sink.put(block, { type: 'input', text });
  }
}

const badPath: CanonicalError = { ...notJson, message: 'The upstream sent an argument of a tool call for no place.' };

/** Arguments are an object; a text in their place is passed on, for it may be JSON. */
function inputOf(args: unknown): string {
  if (typeof args === 'string' && args.trim() !== '') return args;
  return JSON.stringify(asObject(args) ?? {});
}
