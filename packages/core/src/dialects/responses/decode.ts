/** Frames of a Responses stream to canonical events; its switches are the protocol's table of contents. */
import {
  asArray,
  asCount,
  asNumber,
  asObject,
  asText,
  bareError,
  type CanonicalError,
  type CloseCause,
  compact,
  entryOf,
  type FinishReason,
  type Frame,
  type JsonObject,
} from '../../dialect.ts';
import { areSoundLogprobs, decodeLogprobs, encodeLogprobs, soundAnnotation } from './annotations.ts';
import { readError, readErrorEvent } from './error.ts';
import { InputDecoder } from './input.ts';
import { type Item, runAt } from './items.ts';
import { isError, responseIn } from './shape.ts';
import { clientItems, reasonOfIncomplete, terminalOfStatus } from './terms.ts';
import { decodeUsage } from './usage.ts';

/** Reads the events of `POST /responses` (reference, events.json: 59 types and `keepalive`, seen 2026-11-29). */
export class ResponsesDecoder extends InputDecoder {
  #id: string | undefined;
  /** An `error` event, which waits for the failed response that follows it, for only that tells the usage. */
  #error: CanonicalError | undefined;
  #audio: number | undefined;

  /** An upstream that has told its error may leave the connection open and say no more. */
  get settled(): boolean {
    return this.#error !== undefined;
  }

  protected read(data: JsonObject): void {
    const type = this.#typeOf(data);
    if (this.#error !== undefined) return this.#failed(data);
    if (type !== 'keepalive') this.settleInput(data);
    if (!this.started && type !== 'response.created' && type !== 'error' && type !== 'keepalive')
      this.invent(() => this.#start(responseIn(data)));
    switch (type) {
      case 'response.created':
        return this.#created(data);
      case 'response.queued':
        return this.#status(data, 'queued');
      case 'response.in_progress':
        return this.#status(data, 'in_progress');
      case 'response.output_item.added':
        return this.itemAdded(data);
      case 'response.output_item.done':
        return this.itemDone(data);
      case 'response.content_part.added':
        return this.#partAdded(data);
      case 'response.content_part.done':
        return this.#partDone(data);
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
      case 'response.done':
        return this.#terminal(data, type);
      case 'error':
      case 'response.error':
        return this.#erred(data);
      case 'keepalive':
        return this.give({ type: 'ping', native: this.native });
      default:
        return this.#readContent(data, type);
    }
  }

  #readContent(data: JsonObject, type: string): void {
    switch (type) {
      case 'response.output_text.delta':
        return this.#text(data, 'output_text');
      case 'response.output_text.done':
        return this.#textDone(data, 'output_text', data.text);
      case 'response.output_text.annotation.added':
        return this.#annotation(data);
      case 'response.refusal.delta':
        return this.#text(data, 'refusal');
      case 'response.refusal.done':
        return this.#textDone(data, 'refusal', data.refusal);
      case 'response.reasoning_text.delta':
        return this.#reasoning(data, 'raw');
      case 'response.reasoning_text.done':
        return this.#reasoningDone(data, 'raw', data.text);
      case 'response.reasoning_summary_part.added':
        return this.#summaryAdded(data);
      case 'response.reasoning_summary_text.delta':
        return this.#reasoning(data, 'summary');
      case 'response.reasoning_summary_text.done':
        return this.#reasoningDone(data, 'summary', data.text);
      case 'response.reasoning_summary_part.done':
        return this.#summaryDone(data);
      case 'response.audio.delta':
        return this.#sound('data', data.delta);
      case 'response.audio.transcript.delta':
        return this.#sound('transcript', data.delta);
      case 'response.audio.done':
      case 'response.audio.transcript.done':
        return;
      default:
        return this.#readCall(data, type);
    }
  }

  #readCall(data: JsonObject, type: string): void {
    switch (type) {
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
      case 'response.mcp_call_arguments.delta':
      case 'response.code_interpreter_call_code.delta':
      case 'response.apply_patch_call_operation_diff.delta':
        return this.input(data);
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
      case 'response.mcp_call_arguments.done':
      case 'response.code_interpreter_call_code.done':
      case 'response.apply_patch_call_operation_diff.done':
        return this.inputDone(data);
      case 'response.shell_call_command.delta':
        return this.command(data);
      case 'response.shell_call_output_content.delta':
        return this.output(data);
      case 'response.shell_call_command.added':
      case 'response.shell_call_command.done':
      case 'response.shell_call_output_content.done':
        return void this.itemOf(data);
      case 'response.image_generation_call.partial_image':
        return this.partialImage(data);
      default:
        return this.progress(data, type);
    }
  }

  /** The payload's own type; else the event's name, which is then written into it. */
  #typeOf(data: JsonObject): string {
    const named = asText(data.type);
    if (named !== undefined) return named;
    const name = this.native?.name;
    const bare = bareError(data, name);
    if (bare !== undefined) data.error ??= bare;
    const type = asObject(data.error) === undefined ? (name ?? '') : 'error';
    this.rewrite(data, 'type', type);
    return type;
  }

  #erred(data: JsonObject): void {
    this.#error = readErrorEvent(data);
    this.hold();
  }

  #failed(data: JsonObject): void {
    const usage = decodeUsage(asObject(data.response)?.usage);
    if (usage !== undefined) this.count(usage, true);
    if (this.#error !== undefined) this.fail(this.#error);
  }

  #start(response: JsonObject): void {
    this.offer(response);
    this.#id = asText(response.id) ?? this.options.ids.invent('resp_');
    this.start(
      compact({
        id: this.#id,
        model: asText(response.model),
        createdAt: asCount(Math.floor(asNumber(response.created_at) ?? 0)) || undefined,
        serviceTier: asText(response.service_tier),
      }),
    );
  }

  #created(data: JsonObject): void {
    if (this.started) return this.drop('duplicate_start', 'A second response.created.');
    this.#start(responseIn(data));
    this.#responseOf(data);
  }

  /** The response that a lifecycle event carries, under the one id that the stream began with. */
  #responseOf(data: JsonObject): JsonObject {
    const response = responseIn(data);
    if (response.id === this.#id && data.response === response) return response;
    if (data.response !== response) for (const name of Object.keys(response)) delete this.mend()[name];
    this.rewrite(data, 'response', response);
    response.id = this.#id;
    return response;
  }

  #status(data: JsonObject, status: string): void {
    this.#responseOf(data);
    this.give({ type: 'status', status, native: this.native });
  }

  #partAdded(data: JsonObject): void {
    const part = asObject(data.part) ?? {};
    this.alias(part);
    const raw = part.type === 'reasoning_text';
    const item = this.itemOf(data, raw ? 'reasoning' : 'message');
    if (item === undefined) return;
    if (!knownParts.has(part.type)) return this.drop('content_dropped', `A part of the unknown type ${part.type}.`);
    const wireIndex = asCount(data.content_index) ?? item.parts.length;
    if (item.parts.some((run) => run.wireIndex === wireIndex && run.open))
      return this.drop('duplicate_start', 'A content part was added twice.');
    this.invent(() => this.closeRuns(item));
    const run = raw ? this.openReasoning(item, 'raw', wireIndex) : this.openRun(item, part, wireIndex);
    if (data.content_index !== run.index) this.rewrite(data, 'content_index', run.index);
    if (part.type === 'output_text' && !Array.isArray(part.annotations)) this.rewrite(part, 'annotations', []);
    const field = part.type === 'refusal' ? 'refusal' : 'text';
    if (typeof part[field] !== 'string') this.rewrite(part, field, '');
    if (raw) this.think(run, 'raw', part.text);
    else this.addText(run, part[field]);
  }

  #partDone(data: JsonObject): void {
    const part = asObject(data.part) ?? {};
    this.alias(part);
    const item = this.itemOf(data, part.type === 'reasoning_text' ? 'reasoning' : undefined);
    if (item === undefined) return;
    const type = asText(part.type) ?? runAt(item.parts, data.content_index)?.type;
    if (!knownParts.has(type)) return this.drop('content_dropped', `A part of the unknown type ${part.type}.`);
    if (item.type === 'reasoning') return this.#rawDone(item, data, part.text);
    const run = this.runOf(item, data, String(type));
    this.finishRun(run, part);
    this.endRun(run);
  }

  #rawDone(item: Item, data: JsonObject, whole: unknown): void {
    const run = this.reasoningRun(item, 'raw', data.content_index);
    if (data.content_index !== run.index) this.rewrite(data, 'content_index', run.index);
    this.lateReasoning(item, 'raw', run.wireIndex, whole);
    this.closeReasoning(run, 'raw');
  }

  #text(data: JsonObject, type: string): void {
    if (typeof data.delta !== 'string') return this.unsaid();
    const item = this.itemOf(data, 'message');
    if (item === undefined) return;
    const run = this.runOf(item, data, type);
    if (this.options.cumulativeDeltas === true) this.#shorten(data, run.length);
    const { logprobs } = data;
    if (logprobs !== undefined && !areSoundLogprobs(logprobs))
      this.rewrite(data, 'logprobs', Array.isArray(logprobs) ? encodeLogprobs(decodeLogprobs(logprobs) ?? []) : []);
    this.addText(run, data.delta, data.logprobs);
  }

  #shorten(data: JsonObject, known: number): void {
    if (typeof data.delta === 'string' && known > 0) this.rewrite(data, 'delta', data.delta.slice(known));
  }

  #textDone(data: JsonObject, type: string, whole: unknown): void {
    const item = this.itemOf(data, 'message');
    if (item !== undefined) this.lateText(this.runOf(item, data, type), whole);
  }

  #annotation(data: JsonObject): void {
    const item = this.itemOf(data, 'message');
    if (item === undefined) return;
    const run = this.runOf(item, data, 'output_text');
    const annotation = soundAnnotation(data.annotation);
    if (annotation === undefined) return this.drop('frame_ignored', 'An annotation that names no source.');
    if (annotation !== data.annotation) this.rewrite(data, 'annotation', annotation);
    if (data.annotation_index !== run.citations) this.rewrite(data, 'annotation_index', run.citations);
    this.cite(run, annotation);
  }

  #reasoning(data: JsonObject, form: 'raw' | 'summary'): void {
    if (typeof data.delta !== 'string') return this.unsaid();
    const item = this.itemOf(data, 'reasoning');
    if (item === undefined) return;
    const index = form === 'raw' ? 'content_index' : 'summary_index';
    const run = this.reasoningRun(item, form, data[index]);
    if (data[index] !== run.index) this.rewrite(data, index, run.index);
    this.think(run, form, data.delta);
  }

  #reasoningDone(data: JsonObject, form: 'raw' | 'summary', whole: unknown): void {
    const item = this.itemOf(data, 'reasoning');
    if (item === undefined) return;
    const index = form === 'raw' ? 'content_index' : 'summary_index';
    const run = this.reasoningRun(item, form, data[index]);
    if (data[index] !== run.index) this.rewrite(data, index, run.index);
    this.lateReasoning(item, form, run.wireIndex, whole);
  }

  #summaryAdded(data: JsonObject): void {
    const item = this.itemOf(data, 'reasoning');
    if (item === undefined) return;
    const run = this.openReasoning(item, 'summary', data.summary_index);
    if (data.summary_index !== run.index) this.rewrite(data, 'summary_index', run.index);
    const part = asObject(data.part) ?? {};
    if (part.type !== 'summary_text' || typeof part.text !== 'string')
      this.rewrite(data, 'part', { type: 'summary_text', text: asText(part.text) ?? '' });
    this.think(run, 'summary', part.text);
  }

  #summaryDone(data: JsonObject): void {
    this.#reasoningDone(data, 'summary', asObject(data.part)?.text);
    const run = this.itemOf(data)?.summary[data.summary_index as number];
    if (run !== undefined) this.closeReasoning(run, 'summary');
  }

  /** Audio events name no item: all belong to one block. */
  #sound(type: 'data' | 'transcript', delta: unknown): void {
    if (typeof delta !== 'string') return;
    this.#audio ??= this.open(0, 'audio');
    this.put(this.#audio, type === 'data' ? { type, base64: delta } : { type, text: delta });
  }

  #terminal(data: JsonObject, type: string): void {
    const response = this.#responseOf(data);
    const detail = asText(asObject(response.incomplete_details)?.reason);
    const status = isError(response.error) ? 'failed' : statusOf(type, asText(response.status) ?? '', detail);
    if (asObject(response.usage) === undefined && asObject(data.usage) !== undefined)
      this.rewrite(response, 'usage', data.usage);
    const usage = decodeUsage(response.usage);
    if (status === 'failed') {
      if (usage !== undefined) this.count(usage, true);
      return this.fail(readError(response.error ?? { message: 'The response failed.' }));
    }
    if (data.type !== terminalOfStatus[status]) this.rewrite(data, 'type', terminalOfStatus[status]);
    if (response.status !== status) this.rewrite(response, 'status', status);
    if (status === 'incomplete' && detail === undefined)
      this.rewrite(response, 'incomplete_details', { reason: 'max_output_tokens' });
    this.settleAll(this.#repeated(response));
    if (status === 'cancelled') this.native = undefined;
    if (usage !== undefined) this.count(usage, true);
    this.finish(0, this.#reason(status, detail), { nativeReason: detail ?? status });
    this.complete(status as 'completed' | 'incomplete' | 'cancelled');
  }

  /** The output as the last response repeats it; a text that stands beside an empty one may be all that there is. */
  #repeated({ output, output_text }: JsonObject): readonly unknown[] {
    const isBare = asArray(output).length === 0 && this.items.all.length === 0 && asText(output_text) !== undefined;
    if (isBare) return [{ type: 'message', role: 'assistant', content: output_text }];
    return Array.isArray(output) ? output : Object.values(asObject(output) ?? {});
  }

  #reason(status: string, detail: string | undefined): FinishReason {
    if (status === 'cancelled') return 'cancelled';
    if (status === 'incomplete') return entryOf(reasonOfIncomplete, detail ?? 'max_output_tokens') ?? 'other';
    if (this.items.all.some((item) => clientItems.has(item.type) && !item.hosted)) return 'tool_calls';
    return this.refused ? 'refusal' : 'stop';
  }

  /** `[DONE]` is no event of Responses; it ends a stream whose items are all done. */
  protected override done(): void {
    this.settleInput();
    if (this.#error !== undefined) return this.fail(this.#error);
    if (!this.#whole()) return super.done();
    this.native = undefined;
    this.#conclude();
  }

  protected override unreadable(frame: Frame): void {
    this.settleInput();
    if (this.#error === undefined) super.unreadable(frame);
    else this.fail(this.#error);
  }

  protected close(cause: CloseCause): void {
    this.settleInput();
    if (this.#error !== undefined) this.fail(this.#error);
    else if (cause === 'closed' && this.options.acceptMissingTerminal === true && this.#whole()) this.#conclude();
  }

  #whole(): boolean {
    const { all } = this.items;
    return all.some((item) => item.type !== 'reasoning') && all.every((item) => item.done);
  }

  #conclude(): void {
    this.warn('finish_missing', 'The stream ended without its terminal event.');
    this.finish(0, this.#reason('completed', undefined));
    this.complete('completed');
  }
}

/** The status by which a response ended: its own word, unless that is none, or says completed and then why it is not. */
function statusOf(type: string, said: string, detail: string | undefined): string {
  const status = entryOf(terminalOfStatus, said) !== undefined ? said : (statusOfTerminal[type] ?? 'completed');
  const isCut = detail !== undefined && entryOf(reasonOfIncomplete, detail) !== undefined;
  return status === 'completed' && isCut ? 'incomplete' : status;
}

const knownParts: ReadonlySet<unknown> = new Set(['output_text', 'refusal', 'reasoning_text']);

const statusOfTerminal: Readonly<Record<string, string>> = {
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
  'response.cancelled': 'cancelled',
};
