/** A whole answer from its events. */
import { Pieces } from './codec/pieces.ts';
import type {
  BlockDelta,
  BlockEnd,
  BlockStart,
  CanonicalEvent,
  Citation,
  FrameEvents,
  Native,
  TokenLogprob,
} from './model/event.ts';
import type { Block, CanonicalResponse, Choice } from './model/response.ts';

/** Collects all events of a stream. Errors are in the result, not thrown. */
export async function collect(
  events: AsyncIterable<CanonicalEvent> | Iterable<CanonicalEvent>,
): Promise<CanonicalResponse> {
  const collector = new Collector();
  for await (const event of events) collector.add(event);
  return collector.response();
}

/** Adds up events to a response, piece by piece; texts are joined once, at the end. */
export class Collector {
  readonly #blocks = new Map<number, GrowingBlock>();
  readonly #choices = new Map<number, Omit<Choice, 'blocks'>>();
  readonly #head: Partial<Omit<CanonicalResponse, 'choices' | 'metadata'>> = {};
  #native: Native | undefined;
  readonly #metadata: { key: string; value: unknown; block?: number; choice?: number }[] = [];

  /** Takes all events of one frame. */
  addFrame(events: FrameEvents): void {
    for (const event of events) this.add(event);
  }

  /** Takes one event. */
  add(event: CanonicalEvent): void {
    if (event.native !== undefined) this.#head.dialect ??= event.native.dialect;
    if (event.native?.whole !== undefined) this.#native = event.native;
    switch (event.type) {
      case 'response-start':
        return this.#start(event);
      case 'block-start':
        this.#choices.set(event.choice, this.#choices.get(event.choice) ?? {});
        this.#blocks.set(event.block, new GrowingBlock(event));
        return;
      case 'block-delta':
        return this.#blocks.get(event.block)?.add(event);
      case 'block-end':
        return this.#blocks.get(event.block)?.end(event);
      case 'usage':
        this.#head.usage = event.usage;
        return;
      case 'finish':
        return this.#finish(event);
      case 'metadata':
        return this.#note(event);
      case 'response-end':
        this.#head.status = event.status;
        return;
      case 'error':
        Object.assign(this.#head, { status: 'failed', error: event.error });
    }
  }

  /** The response so far; `failed` without an ending. */
  response(): CanonicalResponse {
    const choices = [...this.#choices.keys()].sort((a, b) => a - b).map((choice) => this.#choice(choice));
    const original = this.#native?.whole;
    const head = original === undefined ? this.#head : { ...this.#head, original };
    return { status: 'failed', ...head, choices, metadata: this.#metadata };
  }

  #start({ id, model, createdAt, serviceTier, usage }: CanonicalEvent & { type: 'response-start' }): void {
    const known = Object.entries({ id, model, createdAt, serviceTier, usage }).filter(
      ([, value]) => value !== undefined,
    );
    Object.assign(this.#head, Object.fromEntries(known));
  }

  #finish({ type: _type, choice, native: _native, ext: _ext, ...finish }: CanonicalEvent & { type: 'finish' }): void {
    this.#choices.set(choice, finish);
  }

  #note({ type: _type, native: _native, ext: _ext, ...note }: CanonicalEvent & { type: 'metadata' }): void {
    this.#metadata.push(note);
  }

  #choice(choice: number): Choice {
    const blocks = [...this.#blocks.values()].filter((block) => block.start.choice === choice);
    return { ...this.#choices.get(choice), blocks: blocks.map((block) => block.block()) };
  }
}

class GrowingBlock {
  readonly start: BlockStart;
  readonly #text = new Pieces();
  readonly #input = new Pieces();
  readonly #citations: Citation[] = [];
  readonly #logprobs: TokenLogprob[] = [];
  readonly #outputs: unknown[] = [];
  readonly #data: { base64: string; mimeType?: string; partial?: boolean; index?: number }[] = [];
  #signature: string | undefined;
  #end: BlockEnd | undefined;
  #part: number | undefined;

  constructor(start: BlockStart) {
    this.start = start;
  }

  add({ delta }: BlockDelta): void {
    switch (delta.type) {
      case 'text':
        this.#text.add(delta.text);
        for (const logprob of delta.logprobs ?? []) this.#logprobs.push(logprob);
        return;
      case 'reasoning':
        this.#reason(delta.text, delta.part);
        return;
      case 'transcript':
        this.#text.add(delta.text);
        return;
      case 'input':
        this.#input.add(delta.text);
        return;
      case 'signature':
        this.#signature = delta.mode === 'append' ? (this.#signature ?? '') + delta.value : delta.value;
        return;
      case 'output':
        if (delta.text !== undefined) this.#text.add(delta.text);
        if (delta.value !== undefined) this.#outputs.push(delta.value);
        return;
      case 'citation':
        this.#citations.push(delta.citation);
        return;
      case 'data':
        this.#data.push(delta);
    }
  }

  end(event: BlockEnd): void {
    this.#end = event;
  }

  block(): Block {
    const { type: _type, native: _native, ext: _ext, ...start } = this.start;
    const { status, final } = this.#end ?? {};
    return {
      ...start,
      text: this.#text.text || (final?.text ?? ''),
      input: final?.input ?? this.#input.text,
      citations: this.#citations,
      logprobs: this.#logprobs,
      outputs: this.#outputs,
      data: this.#data,
      ...(this.#signature !== undefined && { signature: this.#signature }),
      ...(status !== undefined && { status }),
      ...(final !== undefined && { final }),
    };
  }

  /** A blank line stands between the parts of a summary. */
  #reason(text: string, part: number | undefined): void {
    if (part !== undefined && this.#part !== undefined && part !== this.#part) this.#text.add('\n\n');
    if (part !== undefined) this.#part = part;
    this.#text.add(text);
  }
}
