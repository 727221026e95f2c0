/** The deltas of steps, each read as the piece of content that it is. */
import { argumentText, asObject, asText, entryOf, type JsonObject, type Native, rewrite } from '../../dialect.ts';
import { type Step, StepDecoder } from './steps.ts';
import { mediaKinds, stepOfDelta } from './terms.ts';
import { inclusive } from './usage.ts';

/** An empty object of arguments, which perhaps only keeps the place of the real ones: the next event tells. */
interface Placeholder {
  readonly step: Step;
  readonly native: Native | undefined;
  readonly text: string;
}

/** The half of the decoder that knows deltas. */
export abstract class DeltaDecoder extends StepDecoder {
  /** The call whose start named no function: the old revision names it in the first delta. */
  protected nameless: JsonObject | undefined;
  #placeholder: Placeholder | undefined;

  /** Counts while the answer runs: what a stream that is cut has cost at the least. */
  protected countSoFar(report: unknown): void {
    const usage = report === undefined ? undefined : inclusive(report);
    if (usage !== undefined) this.count(usage, false);
  }

  /** Reads a `step.delta`. */
  protected delta(data: JsonObject): void {
    const delta = asObject(data.delta) ?? this.#impliedDelta(data);
    if (delta === undefined) return this.drop('frame_ignored', 'A delta that says nothing.');
    const type = asText(delta.type) ?? this.#impliedDeltaType(delta);
    const kind = entryOf(mediaKinds, type);
    if (type === 'text') this.#text(data, delta);
    else if (type === 'arguments_delta') this.#input(data, delta);
    else if (type === 'thought_summary') this.#think(data, delta);
    else if (type === 'thought_signature') this.#sign(data, delta);
    else if (kind !== undefined) this.medium(this.target(data, 'model_output'), delta, kind);
    else if (entryOf(stepOfDelta, type) !== undefined) this.#cite(data, delta);
    else if (type === 'function_call') this.#wholeCall(data, delta);
    else this.#tell(data, delta, type);
    const { metadata } = data;
    if (metadata !== undefined) this.countSoFar(asObject(metadata)?.usage ?? asObject(metadata)?.total_usage);
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

  /** Clients go through the list unasked. */
  #cite(data: JsonObject, delta: JsonObject): void {
    if (delta.annotations != null && !Array.isArray(delta.annotations)) {
      this.mend();
      delta.annotations = [];
    }
    this.annotate(this.target(data, 'model_output'), delta.annotations);
  }

  /** Clients look at the type of the content. */
  #think(data: JsonObject, delta: JsonObject): void {
    const content = contentOf(delta);
    if (asText(content.type) === undefined && asText(content.text) !== undefined) {
      this.mend();
      delta.content = Object.assign(content, { type: 'text' });
    }
    this.summary(this.target(data, 'thought'), content);
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
  protected settleInput(data?: JsonObject): void {
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
    const wire = { ...this.nameless, ...delta };
    this.nameless = undefined;
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
}

/** The types of deltas by a member that only they have. */
const deltasByMember: readonly (readonly [member: string, type: string])[] = [
  ['text', 'text'],
  ['arguments', 'arguments_delta'],
  ['content', 'thought_summary'],
  ['signature', 'thought_signature'],
  ['annotations', 'text_annotation_delta'],
];

/** The content of a thought; some servers leave the wrapping out. */
function contentOf(delta: JsonObject): JsonObject {
  return asObject(delta.content) ?? { text: asText(delta.content) ?? delta.text };
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
