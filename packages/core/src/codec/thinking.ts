/** Reasoning between tags as reasoning blocks: a stage behind the decoder of any dialect whose text comes in blocks. */
import type { BlockDelta, BlockEnd, BlockStart, CanonicalEvent, FrameEvents } from '../model/event.ts';
import { rewrite } from '../model/event.ts';
import { pipe, type Stage } from '../stage.ts';
import type { Decoder, DecoderOptions } from './decoder.ts';
import { tooLarge } from './fault.ts';
import { type Stretch, ThinkTags } from './think.ts';

/** A decoder that finds reasoning between tags, if its options ask for that. */
export function withThinking(decoder: Decoder, options: DecoderOptions): Decoder {
  return options.extractThinkTags === true ? pipe(decoder, new ThinkingStage(options)) : decoder;
}

/** The events of a whole answer, with the reasoning between tags found if the options ask for that. */
export function thinkingIn(events: FrameEvents, options: DecoderOptions): FrameEvents {
  return options.extractThinkTags === true ? (new ThinkingStage(options).push(events)[0] ?? []) : events;
}

/** A text block of the upstream, which becomes runs of text and reasoning that take turns. */
interface Text {
  readonly start: BlockStart;
  readonly tags: ThinkTags;
  /** The block that is open for it, if any is. */
  open: { readonly block: number; readonly thinking: boolean } | undefined;
  /** Whether its own start has gone on. */
  begun: boolean;
}

/** Splits text blocks at their tags. From the first text that goes on otherwise than it came no frame goes out as it came: what it repeats and numbers would be wrong. */
class ThinkingStage implements Stage<FrameEvents, FrameEvents> {
  readonly #maxBlocks: number;
  readonly #texts = new Map<number, Text>();
  /** The numbers of blocks that are no text, as they were and as they go on. */
  readonly #numbers = new Map<number, number>();
  #blocks = 0;
  #edited = false;
  #over = false;
  #out: CanonicalEvent[] = [];

  constructor({ limits }: DecoderOptions) {
    this.#maxBlocks = limits.maxBlocks;
  }

  push(events: FrameEvents): readonly FrameEvents[] {
    for (const event of events) if (!this.#over) this.#take(event);
    const out = this.#out;
    this.#out = [];
    return out.length > 0 ? [out] : [];
  }

  end(): readonly FrameEvents[] {
    return [];
  }

  #take(event: CanonicalEvent): void {
    if (this.#edited) rewrite(event.native);
    switch (event.type) {
      case 'block-start':
        return this.#start(event);
      case 'block-delta':
        return this.#delta(event);
      case 'block-end':
        return this.#end(event);
      case 'error':
        for (const text of this.#texts.values()) this.#say(text, text.tags.push('', true));
        return this.#give(event);
      default:
        this.#give(
          'block' in event && event.block !== undefined ? { ...event, block: this.#number(event.block) } : event,
        );
    }
  }

  #give(event: CanonicalEvent): void {
    this.#out.push(event);
  }

  /** A text waits for its first word, which may be reasoning. */
  #start(event: BlockStart): void {
    if (event.kind === 'text')
      this.#texts.set(event.block, { start: event, tags: new ThinkTags(), open: undefined, begun: false });
    else {
      this.#numbers.set(event.block, this.#blocks);
      this.#give({ ...event, block: this.#blocks++ });
    }
  }

  #number(block: number): number {
    return this.#texts.get(block)?.open?.block ?? this.#numbers.get(block) ?? this.#blocks;
  }

  #delta(event: BlockDelta): void {
    const { delta } = event;
    const text = this.#texts.get(event.block);
    if (text === undefined) return this.#give({ ...event, block: this.#number(event.block) });
    if (delta.type !== 'text') return this.#give({ ...event, block: this.#run(text, false) });
    const stretches = text.tags.push(delta.text, false);
    const [first] = stretches;
    if (stretches.length === 1 && first?.thinking === false && first.text === delta.text)
      return this.#give({ ...event, block: this.#run(text, false) });
    this.#edit(event);
    this.#say(text, stretches);
  }

  #edit({ native }: CanonicalEvent): void {
    this.#edited = true;
    rewrite(native);
  }

  #say(text: Text, stretches: readonly Stretch[]): void {
    for (const { thinking, text: said } of stretches) {
      const block = this.#run(text, thinking);
      const delta = thinking
        ? ({ type: 'reasoning', text: said, form: 'raw' } as const)
        : ({ type: 'text', text: said } as const);
      this.#give({ type: 'block-delta', block, delta });
    }
  }

  /** The open block of a text for thinking, or for the answer; the other one ends. */
  #run(text: Text, thinking: boolean): number {
    if (text.open?.thinking === thinking) return text.open.block;
    if (text.open !== undefined) this.#give({ type: 'block-end', block: text.open.block });
    const block = this.#blocks++;
    if (block >= this.#maxBlocks) this.#fail();
    text.open = { block, thinking };
    if (this.#edited) rewrite(text.start.native);
    if (thinking) this.#give({ type: 'block-start', block, choice: text.start.choice, kind: 'reasoning' });
    else this.#give(text.begun ? { ...text.start, native: undefined, block } : { ...text.start, block });
    text.begun ||= !thinking;
    return block;
  }

  /** What was held back because it might have become a tag is text after all. */
  #end(event: BlockEnd): void {
    const text = this.#texts.get(event.block);
    if (text === undefined) return this.#give({ ...event, block: this.#number(event.block) });
    const rest = text.tags.push('', true);
    if (rest.length > 0) this.#edit(event);
    this.#say(text, rest);
    const block = text.open?.block ?? this.#run(text, false);
    this.#texts.delete(event.block);
    this.#give({ ...event, block });
  }

  #fail(): void {
    this.#over = true;
    this.#give({ type: 'error', error: tooLarge('too_many_blocks', 'The answer has too many parts.') });
  }
}
