/** The input of calls as it is streamed: cleaned where its server put it wrongly, and completed by the events that repeat it whole. */
import { asObject, asText, type JsonObject, type Native } from '../../dialect.ts';
import { inputText } from './content.ts';
import { HostedDecoder } from './hosted.ts';
import type { Item } from './items.ts';

/** An empty input, which perhaps only keeps the place of the real one: the next frame tells. */
interface Placeholder {
  readonly item: Item;
  readonly native: Native | undefined;
  readonly text: string;
}

/** The part of the decoder that reads the input of calls. */
export abstract class InputDecoder extends HostedDecoder {
  #placeholder: Placeholder | undefined;

  /** A piece of a call's input. */
  protected input(data: JsonObject): void {
    if (typeof data.delta !== 'string') return this.unsaid();
    const item = this.itemOf(data);
    if (item === undefined) return;
    if (item.isEmpty && data.delta.trim() === '{}') return this.#keepPlace(item, data.delta);
    const text = item.cleaned(data.delta);
    if (text !== data.delta) this.rewrite(data, 'delta', text);
    this.addInput(item, text);
  }

  #keepPlace(item: Item, text: string): void {
    this.hold();
    this.#placeholder = { item, native: this.native, text };
  }

  /** Gives the empty input that waits, unless this frame brings the real one. */
  protected settleInput(data: JsonObject = {}): void {
    const held = this.#placeholder;
    if (held === undefined) return;
    this.#placeholder = undefined;
    const { item, native, text } = held;
    if (this.#bringsInput(item, data))
      return this.warn('tool_call_repaired', 'An empty input in front of the real one was left out.', item.block);
    const reading = this.native;
    this.native = native;
    this.addInput(item, text);
    this.native = reading;
  }

  #bringsInput(item: Item, data: JsonObject): boolean {
    const wire = asObject(data.item);
    const said = (asText(data.delta) ?? inputText(data.arguments) ?? inputText(wire?.arguments) ?? '').trim();
    return said !== '' && said !== '{}' && this.items.find(data.output_index ?? -1, data.item_id ?? wire?.id) === item;
  }

  /** What should have been in it comes with the event that repeats it whole. */
  protected unsaid(): void {
    this.drop('frame_ignored', 'A delta that says nothing.');
  }

  /** The whole of a call's input. */
  protected inputDone(data: JsonObject): void {
    const item = this.itemOf(data);
    if (item === undefined) return;
    // A call without arguments: whether it was cut is not known before its item is done.
    if (item.type === 'function_call' && item.input === '' && !data.arguments)
      return this.drop('frame_ignored', 'An empty input that ended.');
    this.unwrapInput(item, data);
    this.lateInput(item, data.arguments ?? data.input ?? data.code ?? data.diff);
  }
}
