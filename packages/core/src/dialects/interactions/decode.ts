/** Events of an Interactions stream to canonical ones: one case for each type of event. */
import {
  asArray,
  asObject,
  asText,
  bareError,
  type CloseCause,
  compact,
  type DecoderOptions,
  type Finish,
  type Frame,
  type FrameEvents,
  type JsonObject,
  malformed,
  rewrite,
} from '../../dialect.ts';
import { DeltaDecoder } from './deltas.ts';
import { failureOf, readError } from './error.ts';
import { modernise, modernType, stepOfContent } from './legacy.ts';
import type { Step } from './steps.ts';
import { finishReasons, running, withheld } from './terms.ts';
import { inclusive } from './usage.ts';

/** Reads Interactions streams, and a whole interaction as one event. */
export class InteractionsDecoder extends DeltaDecoder {
  /** The last status that was told beside the end. */
  #status: string | undefined;
  #id: string | undefined;
  #isEnded = false;

  /** Whether only the mark of the stream's end may still come. */
  get settled(): boolean {
    return this.#isEnded;
  }

  protected read(data: JsonObject, frame: Frame): void {
    const type = this.#typeOf(data, frame);
    if (this.#isEnded) return this.#late(type);
    this.settleInput(data);
    switch (type) {
      case 'step.delta':
        return this.delta(data);
      case 'step.start':
        return this.#start(data);
      case 'step.stop':
        return this.#stop(data);
      case 'interaction.created':
        return this.#created(data);
      case 'interaction.completed':
        return this.#completed(data);
      case 'interaction.status_update':
      case 'interaction.in_progress':
      case 'interaction.requires_action':
        return this.#progress(data, type);
      case 'interaction':
        return this.#whole(data);
      case 'error':
        return this.fail(readError(data));
      case undefined:
        return this.drop('frame_ignored', 'An event that does not say what it is.');
    }
  }

  /** After the end nothing counts; what nobody knows goes on to the dialect's own clients. */
  #late(type: string | undefined): void {
    if (type === undefined || known.has(type)) this.drop('frame_ignored', 'An event after the end of the interaction.');
  }

  /** The mark of the end; behind a status that ends an interaction it stands for the missing `interaction.completed`. */
  protected override done(): void {
    this.settleInput();
    if (this.#isEnded) return this.complete();
    this.drop('frame_ignored', 'The mark of the end before the end of the interaction.');
    if (this.#status === undefined || running.has(this.#status)) return;
    this.native = undefined;
    this.#end({ status: this.#status });
    this.complete();
  }

  protected override unreadable(frame: Frame): void {
    this.settleInput();
    const text = frame.data.trim();
    if (frame.name === 'done') this.done();
    else if (text === '') this.drop('frame_ignored', 'An event without a payload.');
    else this.fail(frame.name === 'error' ? readError(text) : malformed(frame.data));
  }

  /** Only the completed interaction is proof of a whole answer. */
  protected close(cause: CloseCause): void {
    this.settleInput();
    if (!this.#isEnded && this.options.acceptMissingTerminal === true && cause === 'closed') this.#supply();
    if (this.#isEnded) this.complete();
  }

  #supply(): void {
    if (!this.started || this.hasOpen) return;
    this.warn('finish_missing', 'The answer ended without a completed interaction.');
    this.#end({});
  }

  /** Look-alikes leave the type to the event line, or to the members. */
  #typeOf(data: JsonObject, frame: Frame): string | undefined {
    const told = asText(data.event_type);
    const type = told ?? this.#impliedType(data, frame.name);
    if (type === undefined) return undefined;
    const modern = modernType(type);
    if (modern !== undefined) {
      this.mend();
      modernise(data, modern);
    } else if (told === undefined && known.has(type)) this.mend().event_type = type;
    return modern ?? type;
  }

  #impliedType(data: JsonObject, name: string | undefined): string | undefined {
    if (data.error !== undefined && data.steps === undefined) return 'error';
    const bare = data.delta === undefined && data.step === undefined ? bareError(data, name) : undefined;
    if (bare !== undefined) data.error = bare;
    if (bare !== undefined) return 'error';
    if (name !== undefined && name !== 'message') return name;
    return typesByMember.find(([member]) => data[member] !== undefined)?.[1];
  }

  #created(data: JsonObject): void {
    const interaction = asObject(data.interaction);
    if (interaction === undefined || this.started)
      return this.drop('duplicate_start', 'A second interaction.created, or one without an interaction.');
    this.#complete(interaction, 'in_progress');
    this.#begin(interaction);
    this.countSoFar(asObject(data.metadata)?.usage);
  }

  /** Clients read the id and the status unasked. */
  #complete(interaction: JsonObject, status: string): void {
    if (typeof interaction.id === 'string' && asText(interaction.status) !== undefined) return;
    this.mend();
    if (typeof interaction.id !== 'string') interaction.id = this.#id ?? this.options.ids.invent('int_');
    if (asText(interaction.status) === undefined) interaction.status = status;
  }

  #begin(interaction: JsonObject): void {
    this.#id ??= asText(interaction.id);
    const created = Date.parse(asText(interaction.created) ?? '');
    this.start(
      compact({
        id: asText(interaction.id),
        model: asText(interaction.model) ?? asText(interaction.agent),
        createdAt: Number.isNaN(created) ? undefined : Math.floor(created / 1000),
        serviceTier: asText(interaction.service_tier),
      }),
    );
  }

  #progress(data: JsonObject, type: string): void {
    this.ensureStarted();
    const status = asText(data.status) ?? asText(asObject(data.interaction)?.status) ?? statusIn(type);
    if (type.endsWith('_update') && data.status !== status) this.mend().status = status;
    this.#status = status;
    this.give({ type: 'status', status, native: this.native });
    this.countSoFar(data.usage);
  }

  #start(data: JsonObject): void {
    const wire = asObject(data.step);
    if (wire === undefined) return this.drop('frame_ignored', 'The start of a step that says nothing.');
    this.ensureStarted();
    const type = asText(wire.type) ?? impliedStep(wire);
    if (type !== wire.type) {
      this.mend();
      wire.type = type;
    }
    if (type === 'function_call' && asText(wire.name) === undefined) return this.#wait(wire);
    this.#open(data, wire, type);
  }

  #wait(wire: JsonObject): void {
    this.nameless = wire;
    this.drop('content_dropped', 'A tool call began without a name.');
  }

  #open(data: JsonObject, wire: JsonObject, type: string): Step {
    const step = this.enter(data, type);
    this.place(data, step);
    const content = asArray(wire.content);
    const takes = type === 'model_output' && content.length > 0;
    if (takes) {
      this.mend();
      wire.content = [];
    }
    this.fill(step, wire);
    if (step.input?.whole !== undefined) {
      this.mend();
      wire.arguments = {};
    }
    if (takes) this.#content(step, content);
    return step;
  }

  /** Content that stands in the start already, where few clients look, comes in deltas of its own. */
  #content(step: Step, content: readonly unknown[]): void {
    this.give({ type: 'raw', data: this.native?.data, native: this.native });
    this.invent(() => {
      for (const part of content) this.content(step, asObject(part) ?? {});
    });
  }

  #stop(data: JsonObject): void {
    if (this.leave(data)) return this.countSoFar(data.usage);
    if (this.nameless === undefined) return this.drop('frame_ignored', 'The end of a step that is not open.');
    this.nameless = undefined;
    this.drop('content_dropped', 'A tool call without a name was left out.');
  }

  #completed(data: JsonObject): void {
    const { event_type: _type, event_id: _id, ...flat } = data;
    const interaction = asObject(data.interaction) ?? flat;
    if (interaction === flat) this.mend().interaction = flat;
    if (!this.started) this.invent(() => this.#begin(interaction));
    if (this.steps === 0) this.invent(() => this.#steps(interaction));
    this.abandonAll();
    const told = this.#status === undefined || running.has(this.#status) ? undefined : this.#status;
    this.#complete(interaction, told ?? (this.calls > 0 ? 'requires_action' : 'completed'));
    this.#end(interaction);
  }

  /** Some servers tell all there is only at the end. */
  #steps(interaction: JsonObject): void {
    for (const step of asArray(interaction.steps)) this.wholeStep(asObject(step) ?? {});
    for (const content of asArray(interaction.outputs)) this.wholeStep(stepOfContent(asObject(content) ?? {}));
  }

  /** An interaction that is not streamed; one that still runs goes back as it is. */
  #whole(data: JsonObject): void {
    const interaction = asObject(data.interaction) ?? data;
    rewrite(this.native);
    this.#begin(interaction);
    this.#steps(interaction);
    const status = asText(interaction.status);
    if (status === undefined || !running.has(status)) this.#end(interaction);
    else this.finish(0, 'other', { nativeReason: status });
    this.#isEnded = true;
    this.complete(status !== undefined && running.has(status) ? 'incomplete' : 'completed');
  }

  #end(interaction: JsonObject): void {
    const usage = inclusive(interaction.usage);
    if (usage !== undefined) this.count(usage, true);
    const told = asText(interaction.status);
    if (told !== undefined && running.has(told)) return this.fail(unfinished);
    const status = told ?? (running.has(this.#status ?? '') ? undefined : this.#status);
    const known = status === undefined ? 'stop' : finishReasons.get(status);
    if (known === undefined) this.warn('finish_unknown', `The status "${String(status).slice(0, 64)}" is not known.`);
    this.#finish(known ?? 'other', status, interaction);
  }

  #finish(known: Finish['reason'], nativeReason: string | undefined, interaction: JsonObject): void {
    const failed =
      known === 'error' ? withheld.get(asText(asObject(asArray(interaction.errors)[0])?.code) ?? '') : known;
    if (failed === undefined) return this.fail(failureOf(interaction));
    const isIdle = failed === 'tool_calls' && this.calls === 0;
    if (isIdle) this.warn('finish_corrected', 'The interaction asks for an action, yet no function was called.');
    const reason = isIdle ? 'stop' : failed === 'stop' && this.calls > 0 ? 'tool_calls' : failed;
    const token = asText(interaction.continuation_token);
    const details = token === undefined ? {} : { details: { continuationToken: token } };
    this.#isEnded = true;
    this.finish(0, reason, { ...(nativeReason !== undefined && !isIdle && { nativeReason }), ...details });
  }
}

const unfinished = {
  type: 'upstream',
  code: 'stream_truncated',
  message: 'The upstream ended the stream of an interaction that still runs.',
} as const;

/** The events that are read; others go on to the dialect's own clients as they came. */
const known: ReadonlySet<string> = new Set([
  'interaction.created',
  'interaction.completed',
  'interaction.status_update',
  'interaction.in_progress',
  'interaction.requires_action',
  'step.start',
  'step.delta',
  'step.stop',
  'error',
]);

/** The types of events by a member that only they have. */
const typesByMember: readonly (readonly [member: string, type: string])[] = [
  ['delta', 'step.delta'],
  ['step', 'step.start'],
  ['steps', 'interaction'],
  ['outputs', 'interaction'],
];

/** The status that an event's own name tells. */
function statusIn(type: string): string {
  return type.endsWith('_update') ? 'in_progress' : type.slice('interaction.'.length);
}

function impliedStep(step: JsonObject): string {
  if (step.name !== undefined || step.arguments !== undefined) return 'function_call';
  return step.summary !== undefined || step.signature !== undefined ? 'thought' : 'model_output';
}

/** Reads a whole interaction as the events of one frame. */
export function decodeInteraction(interaction: JsonObject, options: DecoderOptions): FrameEvents {
  return new InteractionsDecoder(options).whole({ event_type: 'interaction', interaction });
}
