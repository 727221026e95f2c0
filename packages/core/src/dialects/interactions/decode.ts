/** Events of an Interactions stream to canonical ones: one case for each type of event. */
import {
  argumentText,
  asArray,
  asObject,
  asText,
  bareError,
  type CloseCause,
  compact,
  type DecoderOptions,
  entryOf,
  type Finish,
  type Frame,
  type FrameEvents,
  type JsonObject,
  malformed,
  type Native,
  rewrite,
} from '../../dialect.ts';
import { failureOf, readError } from './error.ts';
import { modernise, modernType, stepOfContent } from './legacy.ts';
import { type Step, StepDecoder } from './steps.ts';
import { finishReasons, mediaKinds, running, stepOfDelta, withheld } from './terms.ts';
import { inclusive } from './usage.ts';

/** An empty object of arguments, which perhaps only keeps the place of the real ones: the next event tells. */
interface Placeholder {
  readonly step: Step;
  readonly native: Native | undefined;
  readonly text: string;
}

/** Reads Interactions streams, and a whole interaction as one event. */
export class InteractionsDecoder extends StepDecoder {
  #placeholder: Placeholder | undefined;
  /** The call whose start named no function: the old revision names it in the first delta. */
  #nameless: JsonObject | undefined;
  /** The last status that was told beside the end. */
  #status: string | undefined;
  #isEnded = false;

  /** Whether only the mark of the stream's end may still come. */
  get settled(): boolean {
    return this.#isEnded;
  }

  protected read(data: JsonObject, frame: Frame): void {
    const type = this.#typeOf(data, frame);
    if (this.#isEnded) return this.#late(type);
    if (this.#placeholder !== undefined) this.#settleInput(data);
    switch (type) {
      case 'step.delta':
        return this.#delta(data);
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
    this.#settleInput();
    if (this.#isEnded) return this.complete();
    this.drop('frame_ignored', 'The mark of the end before the end of the interaction.');
    if (this.#status === undefined || running.has(this.#status)) return;
    this.native = undefined;
    this.#end({ status: this.#status });
    this.complete();
  }

  protected override unreadable(frame: Frame): void {
    this.#settleInput();
    const text = frame.data.trim();
    if (frame.name === 'done') this.done();
    else if (text === '') this.drop('frame_ignored', 'An event without a payload.');
    else this.fail(frame.name === 'error' ? readError(text) : malformed(frame.data));
  }

  /** Only the completed interaction is proof of a whole answer. */
  protected close(cause: CloseCause): void {
    this.#settleInput();
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
    if (typeof interaction.id !== 'string') {
      this.mend();
      interaction.id = this.options.ids.invent('int_');
    }
    this.#begin(interaction);
    this.#count(asObject(data.metadata)?.usage);
  }

  #begin(interaction: JsonObject): void {
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
    const status = asText(data.status) ?? asText(asObject(data.interaction)?.status) ?? type.slice(12);
    this.#status = status;
    this.give({ type: 'status', status, native: this.native });
    this.#count(data.usage);
  }

  /** Counts while the answer runs: what a stream that is cut has cost at the least. */
  #count(report: unknown): void {
    const usage = report === undefined ? undefined : inclusive(report);
    if (usage !== undefined) this.count(usage, false);
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
    this.#nameless = wire;
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

  #delta(data: JsonObject): void {
    const delta = asObject(data.delta) ?? this.#impliedDelta(data);
    if (delta === undefined) return this.drop('frame_ignored', 'A delta that says nothing.');
    const type = asText(delta.type) ?? this.#impliedDeltaType(delta);
    const kind = entryOf(mediaKinds, type);
    if (type === 'text') this.#text(data, delta);
    else if (type === 'arguments_delta') this.#input(data, delta);
    else if (type === 'thought_summary') this.summary(this.target(data, 'thought'), contentOf(delta));
    else if (type === 'thought_signature') this.#sign(data, delta);
    else if (kind !== undefined) this.medium(this.target(data, 'model_output'), delta, kind);
    else if (entryOf(stepOfDelta, type) !== undefined)
      this.annotate(this.target(data, 'model_output'), delta.annotations);
    else if (type === 'function_call') this.#wholeCall(data, delta);
    else this.#tell(data, delta, type);
    const { metadata } = data;
    if (metadata !== undefined) this.#count(asObject(metadata)?.usage ?? asObject(metadata)?.total_usage);
  }

  /** A delta that is a mere text. */
  #impliedDelta(data: JsonObject): JsonObject | undefined {
    const text = asText(data.delta);
    if (text === undefined) return undefined;
    const delta = { type: 'text', text };
    this.mend().delta = delta;
    return delta;
  }

  #impliedDeltaType(delta: JsonObject): string {
    const type = deltasByMember.find(([member]) => delta[member] !== undefined)?.[1] ?? '';
    if (type === '') return type;
    this.mend();
    delta.type = type;
    return type;
  }

  /** Text in a thought is its summary. */
  #text(data: JsonObject, delta: JsonObject): void {
    if (typeof delta.text !== 'string') {
      this.mend();
      delta.text = textOf(delta.text);
    }
    const text = delta.text as string;
    const step = this.at(data);
    if (step?.type !== 'thought') return this.say(this.target(data, 'model_output'), text);
    this.mend().delta = { type: 'thought_summary', content: { type: 'text', text } };
    this.summary(this.target(data, 'thought'), { text });
  }

  /** Calls are signed as thoughts are. */
  #sign(data: JsonObject, delta: JsonObject): void {
    const found = this.at(data);
    const step = found?.input === undefined ? this.target(data, 'thought') : found;
    this.place(data, step);
    this.sign(step, delta.signature);
  }

  #input(data: JsonObject, delta: JsonObject): void {
    const step = this.callAt(data);
    if (step?.input === undefined) return this.drop('content_dropped', 'Arguments for a call that was not begun.');
    this.place(data, step);
    this.sign(step, delta.signature);
    if (typeof delta.arguments !== 'string') {
      this.mend();
      delta.arguments =
        delta.arguments === undefined || delta.arguments === null ? '' : JSON.stringify(delta.arguments);
    }
    const piece = delta.arguments as string;
    if (piece === '') return;
    if (step.input.isFresh && piece.trim() === '{}') return this.#keepPlace(step, piece);
    const text = step.input.add(piece);
    if (text !== piece) {
      this.mend();
      delta.arguments = text;
    }
    if (text !== '') this.put(step.block, { type: 'input', text });
  }

  #keepPlace(step: Step, text: string): void {
    this.hold();
    this.#placeholder = { step, native: this.native, text };
  }

  /** Gives the empty arguments that wait, unless this event brings the real ones. */
  #settleInput(data?: JsonObject): void {
    const held = this.#placeholder;
    if (held === undefined) return;
    this.#placeholder = undefined;
    const { step, native, text } = held;
    const piece = asText(asObject(data?.delta)?.arguments)?.trim();
    if (piece && data !== undefined && this.callAt(data) === step)
      return this.warn('tool_call_repaired', 'Empty arguments in front of the real ones were left out.', step.block);
    this.give({
      type: 'block-delta',
      block: step.block,
      delta: { type: 'input', text: step.input?.add(text) ?? text },
      native,
    });
  }

  /** The old revision tells calls whole. */
  #wholeCall(data: JsonObject, delta: JsonObject): void {
    const known = this.callAt(data);
    if (known?.input !== undefined && asText(delta.name) === undefined) return this.#input(data, delta);
    const wire = { ...this.#nameless, ...delta };
    this.#nameless = undefined;
    if (asText(wire.name) === undefined)
      return this.drop('content_dropped', 'A tool call without a name was left out.');
    rewrite(this.native);
    this.ensureStarted();
    if (known?.input !== undefined && known === this.at(data))
      known.input.whole = argumentText(JSON.stringify(wire.arguments ?? {}));
    else this.fill(this.enter(data, 'function_call'), wire);
  }

  /** A delta of a step that only the dialect's own clients understand. */
  #tell(data: JsonObject, delta: JsonObject, type: string): void {
    const found = this.at(data);
    const isKnown = /_(?:call|result)$/.test(type);
    if (!isKnown && found === undefined) return;
    if (!isKnown && found !== undefined && found.kind !== 'item') return this.place(data, found);
    const step = isKnown ? this.#toolAt(data, type) : found;
    if (step !== undefined) this.tell(step, delta);
  }

  #toolAt(data: JsonObject, type: string): Step {
    const step = this.target(data, type);
    if (step.kind === 'text') this.invent(() => this.fill(step, { type }));
    return step;
  }

  #stop(data: JsonObject): void {
    if (this.leave(data)) return this.#count(data.usage);
    if (this.#nameless === undefined) return this.drop('frame_ignored', 'The end of a step that is not open.');
    this.#nameless = undefined;
    this.drop('content_dropped', 'A tool call without a name was left out.');
  }

  #completed(data: JsonObject): void {
    const interaction = asObject(data.interaction) ?? data;
    if (!this.started) this.invent(() => this.#begin(interaction));
    if (this.steps === 0) this.invent(() => this.#steps(interaction));
    this.abandonAll();
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
    const status = asText(interaction.status) ?? this.#status;
    if (status !== undefined && running.has(status) && asText(interaction.status) !== undefined)
      return this.fail(unfinished);
    const known = status === undefined || running.has(status) ? 'stop' : finishReasons.get(status);
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

/** The types of deltas by a member that only they have. */
const deltasByMember: readonly (readonly [member: string, type: string])[] = [
  ['text', 'text'],
  ['arguments', 'arguments_delta'],
  ['content', 'thought_summary'],
  ['signature', 'thought_signature'],
  ['annotations', 'text_annotation_delta'],
];

function impliedStep(step: JsonObject): string {
  if (step.name !== undefined || step.arguments !== undefined) return 'function_call';
  return step.summary !== undefined || step.signature !== undefined ? 'thought' : 'model_output';
}

/** The content of a thought; some servers leave the wrapping out. */
function contentOf(delta: JsonObject): JsonObject {
  return asObject(delta.content) ?? { text: asText(delta.content) ?? delta.text };
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** Reads a whole interaction as the events of one frame. */
export function decodeInteraction(interaction: JsonObject, options: DecoderOptions): FrameEvents {
  return new InteractionsDecoder(options).whole({ event_type: 'interaction', interaction });
}
