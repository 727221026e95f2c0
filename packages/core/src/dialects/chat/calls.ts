/** Tool calls of one choice: which fragment continues which call, when a call is known well enough to open, and what clients may see of it. */
import {
  argumentText,
  asObject,
  asText,
  type DecoderOptions,
  type Ids,
  type JsonObject,
  type Native,
  tooLarge,
} from '../../dialect.ts';
import { type Fragment, fragmentOf, inputText, isStandard, signatureOf } from './fragment.ts';
import { CallInput } from './input.ts';
import type { Sink } from './sink.ts';

/** A first fragment that is all right but may not be all of the name. */
interface Opening {
  native: Native | undefined;
  body: JsonObject;
}

/** A call while it grows. */
interface Call {
  /** Its id upstream, by which later fragments name it. */
  wireId: string | undefined;
  id: string | undefined;
  name: string;
  custom: boolean;
  arguments: CallInput;
  /** Whether any input has come. */
  begun: boolean;
  /** Input that came before the block opened. */
  waiting: string;
  /** Place among the choice's calls, dense; -1 until its first fragment goes out. */
  place: number;
  /** The fragment that shows the call, in a frame that waits with it. */
  opening: Opening | undefined;
  block: number;
  signature: string | undefined;
}

const UNOPENED = -1;

/** Reads the calls of one choice. */
export class ToolCalls {
  readonly #choice: number;
  readonly #sink: Sink;
  readonly #ids: Ids;
  readonly #most: number;
  readonly #calls: Call[] = [];
  readonly #byIndex = new Map<number, Call>();
  readonly #byId = new Map<string, Call>();
  #legacy: Call | undefined;
  #places = 0;
  #unopened = 0;

  constructor(choice: number, sink: Sink, { ids, limits }: DecoderOptions) {
    this.#choice = choice;
    this.#sink = sink;
    this.#ids = ids;
    this.#most = limits.maxBlocks;
  }

  /** Whether there is a call that a client can answer. */
  get any(): boolean {
    return this.#calls.some((call) => call.name !== '');
  }

  /** Whether nothing of any call is missing. */
  get whole(): boolean {
    return this.#calls.every((call) => call.name !== '' && isWhole(call));
  }

  /** Whether a call is shown by a frame that should wait: only the next frame tells whether its name goes on. */
  get waiting(): boolean {
    return this.#unopened > 0 && this.#calls.some((call) => call.block === UNOPENED && call.opening !== undefined);
  }

  /** Characters of input that wait for the name of their call. */
  get heldBack(): number {
    return this.#unopened === 0 ? 0 : this.#calls.reduce((sum, call) => sum + call.waiting.length, 0);
  }

  /** Reads a delta's fragments. One that shows too little of its call is taken out of the frame; `now` says that the frame cannot wait for more. */
  read(delta: JsonObject, now: boolean): void {
    const fragments = delta.tool_calls;
    if (!Array.isArray(fragments)) return;
    if (this.waiting && !this.#goesOn(asObject(fragments[0]))) this.settle();
    const shown: unknown[] = [];
    for (const fragment of fragments) if (this.#take(asObject(fragment), now)) shown.push(fragment);
    if (shown.length === fragments.length) return;
    this.#sink.mend();
    delta.tool_calls = shown;
    if (shown.length === 0) delete delta.tool_calls;
  }

  /** Whether a frame's first fragment belongs to the start of the call that waits: more of its name, or arguments in place of empty ones. */
  #goesOn(wire: JsonObject | undefined): boolean {
    if (wire === undefined) return false;
    const fragment = fragmentOf(wire);
    const call = this.#find(fragment);
    if (call?.opening === undefined || call.block !== UNOPENED) return false;
    return fragment.name !== undefined || (call.waiting === '{}' && fragment.input?.trim() !== '');
  }

  /** Reads `function_call`, the one call of the protocol's first version; it has no id. */
  readLegacy(body: JsonObject): void {
    const name = asText(body.name);
    if (this.#legacy === undefined && name === undefined) return;
    this.#legacy ??= this.#open(this.#register(undefined, name ?? '', false));
    this.#put(this.#legacy, this.#input(this.#legacy, inputText(body.arguments)));
  }

  /** Opens what is named: its name will not be continued any more. */
  settle(): void {
    if (this.#unopened === 0) return;
    for (const call of this.#calls)
      if (call.block === UNOPENED && call.name !== '') this.#sink.as(call.opening?.native, () => this.#open(call));
  }

  /** Ends all calls. `cut` says that the answer broke off, so that unfinished arguments are no surprise. */
  end(cut: boolean): void {
    this.settle();
    for (const call of this.#calls) this.#end(call, cut);
  }

  /** Takes a fragment; says whether it may stay in its frame. */
  #take(wire: JsonObject | undefined, now: boolean): boolean {
    if (wire === undefined) return false;
    const fragment = fragmentOf(wire);
    const call = this.#find(fragment) ?? this.#begin(fragment);
    if (call === undefined) return false;
    if (wire.extra_content !== undefined) call.signature = signatureOf(wire) ?? call.signature;
    const stays = call.block === UNOPENED ? this.#gather(call, fragment, now) : this.#continue(call, fragment);
    this.#sign(call);
    return stays;
  }

  /** The call that a fragment continues: by index, else by id, else the last one. */
  #find({ index, id, name, input }: Fragment): Call | undefined {
    const placed = index === undefined ? undefined : this.#byIndex.get(index);
    const named = id === undefined ? undefined : this.#byId.get(id);
    const call = placed !== undefined && (named === undefined || placed.wireId === id) ? placed : named;
    if (call !== undefined) return isAnother(call, id, name, placed === undefined) ? undefined : call;
    if (name === undefined) return this.#unnamed(index !== undefined, id !== undefined, input !== undefined);
    return index === undefined && id === undefined ? this.#resumed(name) : undefined;
  }

  /** Without a name, an index and an id that are not known belong to the last call; but what has an id and follows a whole call is another one. */
  #unnamed(isPlaced: boolean, isNamed: boolean, hasInput: boolean): Call | undefined {
    const last = this.#calls.at(-1);
    if (isNamed && last?.arguments.whole === true) return undefined;
    return !isPlaced || hasInput ? last : undefined;
  }

  /** Without index and id, a name belongs to the last call while that one lacks something. */
  #resumed(name: string): Call | undefined {
    const last = this.#calls.at(-1);
    if (last === undefined || last.arguments.whole) return undefined;
    return last.name === '' || last.name === name || last.begun ? last : undefined;
  }

  #begin({ index, id, name, input, custom }: Fragment): Call | undefined {
    if (id === undefined && name === undefined && !input) return undefined;
    if (this.#calls.length >= this.#most) this.#sink.fail(tooLarge('too_many_calls', 'The answer has too many calls.'));
    if (this.#calls.length >= this.#most) return undefined;
    this.settle();
    return this.#register(index, '', custom);
  }

  #register(index: number | undefined, name: string, custom: boolean): Call {
    const call: Call = {
      wireId: undefined,
      id: undefined,
      name,
      custom,
      arguments: new CallInput(),
      begun: false,
      waiting: '',
      place: -1,
      opening: undefined,
      block: UNOPENED,
      signature: undefined,
    };
    this.#calls.push(call);
    this.#unopened++;
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }

  /** A call that is not open yet learns its id, its name and its first input. */
  #gather(call: Call, fragment: Fragment, now: boolean): boolean {
    this.#identify(call, fragment.id);
    if (fragment.custom) call.custom = true;
    if (fragment.name !== undefined) call.name = longerName(call.name, fragment.name, call.begun);
    const text = this.#input(call, fragment.input);
    call.waiting += text;
    const ready = call.name !== '' && (now || (call.waiting !== '' && call.waiting !== '{}'));
    if (call.opening !== undefined) return this.#resume(call, call.opening, fragment, text, ready);
    if (!ready && !isStandard(fragment)) return false;
    this.#show(call, fragment, call.waiting, true);
    if (ready) this.#open(call);
    else call.opening = { native: this.#sink.native(), body: fragment.body };
    return true;
  }

  /** The frame with the first fragment is still here: what this one says of the name is said there. */
  #resume(call: Call, opening: Opening, fragment: Fragment, text: string, ready: boolean): boolean {
    const said = call.custom ? opening.body.input : opening.body.arguments;
    const before = call.waiting.slice(0, call.waiting.length - text.length);
    if (opening.body.name !== call.name || said !== before) {
      Object.assign(opening.body, { name: call.name, [call.custom ? 'input' : 'arguments']: before });
      if (opening.native !== undefined) opening.native.text = undefined;
    }
    this.#show(call, fragment, text, false);
    if (!ready) return true;
    call.waiting = before;
    this.#sink.as(opening.native, () => this.#open(call));
    this.#put(call, text);
    return true;
  }

  /** An open call goes on. */
  #continue(call: Call, fragment: Fragment): boolean {
    this.#identify(call, fragment.id);
    const resent = call.arguments.whole && fragment.name !== undefined && fragment.input !== undefined;
    const text = this.#input(call, fragment.input);
    this.#put(call, text);
    if (!resent) this.#show(call, fragment, text, false);
    else this.#sink.warn('tool_call_repaired', `The call ${call.name} was sent again.`, call.block);
    return !resent;
  }

  #identify(call: Call, id: string | undefined): void {
    if (id === undefined || call.wireId !== undefined) return;
    call.wireId = id;
    if (!this.#byId.has(id)) this.#byId.set(id, call);
  }

  #input(call: Call, raw: string | undefined): string {
    if (!raw) return '';
    const first = !call.begun;
    call.begun = true;
    if (call.custom) return raw;
    if (call.block === UNOPENED && call.waiting === '{}' && raw.trim() !== '') {
      call.waiting = '';
      call.arguments = new CallInput();
    }
    return call.arguments.add(first ? argumentText(raw) : raw);
  }

  /** Makes the frame's fragment say what clients need: place, one id, type, one name, text. */
  #show(call: Call, fragment: Fragment, text: string, first: boolean): void {
    const { wire, body, input } = fragment;
    this.#settleIdentity(call);
    if (wire.index !== call.place) this.#set(wire, 'index', call.place);
    if (wire.id !== call.id && (first || fragment.id !== undefined || typeof wire.id === 'number'))
      this.#set(wire, 'id', call.id);
    if (wire.type !== kindOf(call) && (first || (wire.type !== undefined && wire.type !== null)))
      this.#set(wire, 'type', kindOf(call));
    if (body.name !== call.name && (first || fragment.name !== undefined)) this.#set(body, 'name', call.name);
    const member = call.custom ? 'input' : 'arguments';
    const isBodiless = wire[kindOf(call)] !== body;
    if (!says(body[member], text, call.custom) && (first || input !== undefined || isBodiless))
      this.#set(body, member, text);
    if (isBodiless) this.#set(wire, kindOf(call), body);
  }

  #set(object: JsonObject, member: string, value: unknown): void {
    this.#sink.mend();
    object[member] = value;
  }

  #settleIdentity(call: Call): void {
    if (call.place < 0) call.place = this.#places++;
    call.id ??= this.#uniqueId(call);
  }

  /** Two calls of one answer must not share an id; those of different candidates may. */
  #uniqueId({ wireId, place, name }: Call): string {
    if (wireId === undefined) return this.#ids.invent('call_', this.#choice * 4096 + place);
    if (!this.#calls.some(({ id }) => id === wireId)) return wireId;
    this.#sink.warn('id_repeated', `The call ${name} has the id of another call.`);
    return `${wireId}_${place}`;
  }

  #open(call: Call): Call {
    this.#settleIdentity(call);
    const { id = '', name, custom } = call;
    const toolCall = {
      id,
      name,
      format: custom ? ('text' as const) : ('json' as const),
      executor: 'client' as const,
      kind: kindOf(call),
    };
    call.block = this.#sink.open(this.#choice, 'tool_call', { toolCall });
    this.#unopened--;
    this.#put(call, call.waiting);
    call.waiting = '';
    this.#sign(call);
    return call;
  }

  #put(call: Call, text: string): void {
    if (text !== '') this.#sink.put(call.block, { type: 'input', text });
  }

  #sign(call: Call): void {
    if (call.signature === undefined || call.block === UNOPENED) return;
    this.#sink.put(call.block, { type: 'signature', value: call.signature, mode: 'set' });
    call.signature = undefined;
  }

  #end(call: Call, cut: boolean): void {
    if (call.block === UNOPENED)
      return this.#sink.warn('content_dropped', 'A tool call never got a name and was left out.');
    this.#put(call, call.arguments.rest());
    const whole = isWhole(call);
    if (!whole && !cut)
      this.#sink.warn('tool_arguments_invalid', `The arguments of ${call.name} are not whole JSON.`, call.block);
    this.#sink.shut(call.block, whole || !cut ? undefined : 'incomplete');
  }
}

/** Whether a member already says a text: a client of this dialect may be left with `null` for no arguments. */
function says(member: unknown, text: string, custom: boolean): boolean {
  return member === text || (!custom && typeof member === 'string' && argumentText(member) === text);
}

/** Whether a fragment opens another call than the one that its place or id names. An id that changes without a name is a server that numbers fragments. */
function isAnother(call: Call, id: string | undefined, name: string | undefined, elsewhere: boolean): boolean {
  if (name === undefined) return false;
  if (id !== undefined && call.wireId !== undefined) return isWhole(call) && (id !== call.wireId || elsewhere);
  return call.name !== '' && call.arguments.whole;
}

function isWhole(call: Call): boolean {
  return call.custom || !call.begun || call.arguments.whole;
}

/** A name may come in pieces, again, or longer each time; once there is input it stays. */
function longerName(name: string, piece: string, begun: boolean): string {
  if (piece.startsWith(name)) return piece;
  return begun ? name : name + piece;
}

function kindOf(call: Call): 'custom' | 'function' {
  return call.custom ? 'custom' : 'function';
}
