/** What tools say that are not a client's functions: commands, their output, pictures on the way, progress; and who runs a call. */
import { asArray, asCount, asObject, asText, entryOf, type JsonObject } from '../../dialect.ts';
import { foreignProgress, progressEvents } from './terms.ts';
import { WholeDecoder } from './whole.ts';

/** The part of the decoder that reads the events of such tools. */
export abstract class HostedDecoder extends WholeDecoder {
  /** The tools that the answer says it was offered. */
  #offered: readonly JsonObject[] = [];

  /** Notes the tools that a response repeats from its request. */
  protected offer(response: JsonObject): void {
    this.#offered = asArray(response.tools).flatMap((tool) => toolsIn(tool));
  }

  /**
   * Servers write calls of their own tools as custom calls too. Nobody but the server can have offered such a tool: the
   * request had none of that name, and did have one that the server runs.
   */
  protected override isHosted({ type, name }: JsonObject): boolean {
    if (type !== 'custom_tool_call') return false;
    const isClients = this.#offered.some((tool) => tool.type === 'custom' && tool.name === name);
    return !isClients && this.#offered.some((tool) => !clientTools.has(tool.type));
  }

  /** A piece of a shell command. */
  protected command(data: JsonObject): void {
    const item = this.itemOf(data);
    if (item !== undefined) this.addInput(item, data.delta, asCount(data.command_index));
  }

  /** What a command printed. */
  protected output(data: JsonObject): void {
    const block = this.itemOf(data)?.block;
    const part = asCount(data.command_index);
    if (block !== undefined)
      this.put(block, { type: 'output', value: data.delta, ...(part !== undefined && { part }) });
  }

  /** A picture on its way. */
  protected partialImage(data: JsonObject): void {
    const block = this.itemOf(data)?.block;
    const base64 = asText(data.partial_image_b64);
    if (block === undefined || base64 === undefined) return;
    const index = asCount(data.partial_image_index);
    this.put(block, { type: 'data', base64, partial: true, ...(index !== undefined && { index }) });
  }

  /** The SDK's helper throws on an event that it does not know, so that one is shown to observers and not relayed. */
  protected progress(data: JsonObject, type: string): void {
    const known = entryOf(progressEvents, type);
    const status = known ?? entryOf(foreignProgress, type);
    const block = status === undefined ? undefined : this.itemOf(data)?.block;
    if (known === undefined) {
      this.drop('frame_ignored', `An event of the unknown type ${type}.`);
      this.native = undefined;
    }
    if (status !== undefined && block !== undefined) this.give({ type: 'status', status, block, native: this.native });
    else if (status === undefined) this.give({ type: 'raw', name: type, data });
  }
}

/** The tools that a client runs. */
const clientTools: ReadonlySet<unknown> = new Set(['function', 'custom']);

/** A tool, or those in a group of tools. */
function toolsIn(value: unknown): readonly JsonObject[] {
  const tool = asObject(value) ?? {};
  return Array.isArray(tool.tools) ? tool.tools.flatMap((inner) => toolsIn(inner)) : [tool];
}
