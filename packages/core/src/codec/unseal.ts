/** Takes opaque reasoning out of a request's carriers: what its own maker is asked gets it back, all else is told nothing of it. */
import type { RequestContext } from '../model/context.ts';
import type { CanonicalRequest, Part, ReasoningPart, ToolCallPart } from '../model/request.ts';
import { originalId } from './alias.ts';
import { type Blob, type Carried, decodeCarrier, isCarrier, type Origin, splitId } from './carrier.ts';
import type { Losses } from './losses.ts';

/** What a request's opaque reasoning is held against. */
export class Unsealer {
  readonly #target: Origin;
  readonly #losses: Losses;
  /** Whether the client speaks the upstream's dialect: what is in no carrier is then the upstream's own. */
  readonly own: boolean;

  constructor(target: Origin, { dialect }: Pick<RequestContext, 'dialect'>, losses: Losses) {
    this.#target = target;
    this.#losses = losses;
    this.own = dialect === target.dialect;
  }

  /** What a carrier holds for the target, nothing being noted as a loss; undefined for what is no carrier. `at` is its place. */
  open(value: string | undefined, at: string): readonly Blob[] | undefined {
    if (!isCarrier(value)) return undefined;
    const carried = decodeCarrier(value);
    if (carried !== undefined && this.#isFor(carried)) return carried.blobs;
    this.#losses.minor(at, carried === undefined ? unreadable : foreign);
    return [];
  }

  /** Which of its models read what another one made is the affair of a provider that is spoken to in its own dialect. */
  #isFor({ provider, dialect, family, blobs }: Carried): boolean {
    const target = this.#target;
    if (provider !== target.provider || dialect !== target.dialect) return false;
    return family === target.family || (this.own && blobs.every(({ kind }) => kind !== 'continuation'));
  }
}

const unreadable = 'opaque reasoning in a form that is not known here, or that was cut or changed on its way';
const foreign = 'opaque reasoning of another provider or another family of models';

/** The request with ids of calls as their upstream gave them, and with opaque members that are the target's own or are not there. */
export function unsealed(request: CanonicalRequest, unsealer: Unsealer): CanonicalRequest {
  const turns = request.turns.map((turn) => {
    const parts = new PartReader(unsealer, turn.at ?? 'turns');
    for (const part of turn.parts) parts.read(part);
    return { ...turn, parts: parts.all };
  });
  return { ...request, turns };
}

class PartReader {
  readonly #unsealer: Unsealer;
  readonly #at: string;
  readonly #parts: Part[] = [];
  /** Where what leads to the next call begins. */
  #step = 0;
  /** The signature of a call that is still to come. */
  #coming: string | undefined;
  #isRestored = false;

  constructor(unsealer: Unsealer, at: string) {
    this.#unsealer = unsealer;
    this.#at = at;
  }

  /** What was read. Thoughts that came back whole are not told again in what the client showed of them. */
  get all(): readonly Part[] {
    if (!this.#isRestored) return this.#parts;
    return this.#parts.filter((part) => part.type !== 'reasoning' || part.replay || opaqueOf(part) !== undefined);
  }

  read(part: Part): void {
    if (part.type === 'reasoning') this.#thought(part);
    else if (part.type === 'tool_call') this.#call(part);
    else if (part.type === 'tool_result') this.#parts.push({ ...part, callId: originalId(splitId(part.callId).id) });
    else this.#parts.push(part);
  }

  #thought(part: ReasoningPart): void {
    const opaque = opaqueOf(part);
    const blobs = this.#unsealer.open(opaque, part.at ?? this.#at);
    if (blobs === undefined) this.#parts.push(opaque === undefined || this.#unsealer.own ? part : bare(part));
    for (const blob of blobs ?? []) this.#place(blob, part, this.#parts.length);
  }

  #call(part: ToolCallPart): void {
    const { id: told, carrier } = splitId(part.id);
    const id = originalId(told);
    const { signature = carrier, ...call } = part;
    const blobs = this.#unsealer.open(signature, part.at ?? this.#at);
    const raw = blobs === undefined && this.#unsealer.own ? signature : undefined;
    let at = this.#step;
    for (const blob of blobs ?? []) at += this.#place(blob, undefined, at);
    const own = raw ?? this.#coming;
    this.#coming = undefined;
    this.#parts.push({ ...call, id, ...(own !== undefined && { signature: own }) });
    this.#step = this.#parts.length;
  }

  /** Puts a blob where its maker had it; returns how many parts that has added. */
  #place(blob: Blob, shown: ReasoningPart | undefined, at: number): number {
    this.#isRestored = true;
    if (blob.on === 'thought') {
      this.#parts.splice(at, 0, thoughtOf(blob, shown));
      return 1;
    }
    if (blob.on === 'text') this.#signText(blob.value);
    else this.#signCall(blob);
    return 0;
  }

  #signText(signature: string): void {
    const last = this.#parts.findLastIndex(({ type }) => type === 'text');
    const text = this.#parts[last];
    if (text?.type === 'text') this.#parts[last] = { ...text, signature };
  }

  /** A call's signature stands in front of it, or behind it where it came late; then the call is known by its id. */
  #signCall({ id, value }: Blob): void {
    const behind = this.#parts.findIndex((part) => part.type === 'tool_call' && part.id === id);
    const call = this.#parts[behind];
    if (call?.type === 'tool_call') this.#parts[behind] = { ...call, signature: value };
    else this.#coming = value;
  }
}

function opaqueOf({ signature, redacted, encrypted }: ReasoningPart): string | undefined {
  return signature ?? redacted ?? encrypted;
}

/** What another provider's opaque members leave of a thought. */
function bare({ signature: _s, redacted: _r, encrypted: _e, id: _i, ...part }: ReasoningPart): ReasoningPart {
  return part;
}

function thoughtOf({ kind, value, text, id }: Blob, shown: ReasoningPart | undefined): ReasoningPart {
  if (kind === 'plain' || kind === 'continuation') return { type: 'reasoning', text: value, replay: true };
  const said = text ?? shown?.text;
  const summary = shown?.summary ?? (shown?.text ? [shown.text] : undefined);
  return {
    type: 'reasoning',
    ...(said !== undefined && { text: said }),
    ...(summary !== undefined && { summary }),
    [kind]: value,
    ...(id !== undefined && { id }),
    ...(shown?.at !== undefined && { at: shown.at }),
  };
}
