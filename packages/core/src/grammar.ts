/** The rules that every canonical stream obeys, as a stage that lets events through and remembers what was wrong. */
import type { BlockDelta, BlockEnd, BlockStart, CanonicalEvent, Finish, FrameEvents } from './model/event.ts';
import type { CloseCause, Stage } from './stage.ts';

/** Checks a stream; `violations` says what broke the rules, in order. */
export class GrammarCheck implements Stage<FrameEvents, FrameEvents> {
  readonly violations: string[] = [];
  readonly #open = new Map<number, number>();
  readonly #finished = new Set<number>();
  #blocks = 0;
  #started = false;
  #ended = false;

  push(events: FrameEvents): readonly FrameEvents[] {
    for (const event of events) this.#check(event);
    return [events];
  }

  end(cause?: CloseCause): readonly FrameEvents[] {
    if (!this.#ended && cause !== 'client-closed') this.#broken('the stream has no ending');
    return [];
  }

  #check(event: CanonicalEvent): void {
    if (this.#ended && event.type !== 'ping' && event.type !== 'warning')
      this.#broken(`${event.type} after the ending`);
    if (!this.#started && !beforeStart.has(event.type)) this.#broken(`${event.type} before response-start`);
    switch (event.type) {
      case 'response-start':
        return this.#start();
      case 'block-start':
        return this.#openBlock(event);
      case 'block-delta':
        return this.#delta(event);
      case 'block-end':
        return this.#closeBlock(event);
      case 'finish':
        return this.#finish(event);
      case 'response-end':
        return this.#complete();
      case 'error':
        this.#ended = true;
    }
  }

  #start(): void {
    if (this.#started) this.#broken('a second response-start');
    this.#started = true;
  }

  #openBlock({ block, choice }: BlockStart): void {
    if (block !== this.#blocks) this.#broken(`block ${block} where ${this.#blocks} was next`);
    if (this.#finished.has(choice)) this.#broken(`block ${block} after the finish of choice ${choice}`);
    this.#blocks = block + 1;
    this.#open.set(block, choice);
  }

  #delta({ block, delta }: BlockDelta): void {
    if (!this.#open.has(block)) this.#broken(`${delta.type} delta for block ${block}, which is not open`);
  }

  #closeBlock({ block }: BlockEnd): void {
    if (!this.#open.delete(block)) this.#broken(`end of block ${block}, which is not open`);
  }

  #finish({ choice }: Finish): void {
    if (this.#finished.has(choice)) this.#broken(`a second finish of choice ${choice}`);
    if ([...this.#open.values()].includes(choice)) this.#broken(`finish of choice ${choice} with a block open`);
    this.#finished.add(choice);
  }

  #complete(): void {
    if (this.#open.size > 0) this.#broken('response-end with a block open');
    this.#ended = true;
  }

  #broken(rule: string): void {
    this.violations.push(rule);
  }
}

const beforeStart: ReadonlySet<CanonicalEvent['type']> = new Set(['response-start', 'ping', 'raw', 'warning', 'error']);
