/** What an answer has said of itself so far: usage, warnings, when it began and how it ended. */
import {
  type Batch,
  type CanonicalError,
  type CanonicalEvent,
  type Ending,
  mostWarnings,
  type Usage,
  type Warning,
} from '@streamglot/core';
import { endingOfCode } from './cause.ts';

/** Events that a model generated; all others only frame them. */
const generated: ReadonlySet<CanonicalEvent['type']> = new Set([
  'block-start',
  'block-delta',
  'finish',
  'response-end',
]);

/** Sees every batch of one answer. */
export class Meter {
  usage?: Usage;
  error?: CanonicalError;
  ending?: Ending;
  readonly warnings: Warning[] = [];
  bytes = 0;
  /** When the first generated event and the last chunk came, on the clock of the batches. */
  firstOutputAt?: number;
  lastAt?: number;

  /** Takes one batch; block deltas are not looked at once there has been output. */
  see({ frames, receivedAt, bytes }: Batch): void {
    this.bytes += bytes;
    this.lastAt = receivedAt;
    for (const events of frames)
      for (const event of events) {
        if (this.firstOutputAt === undefined && generated.has(event.type)) this.firstOutputAt = receivedAt;
        if (event.type !== 'block-delta') this.#note(event);
      }
  }

  /** The answer has failed, as its upstream, its encoder or the gateway found; the first failure counts. */
  fail(error: CanonicalError): void {
    if (this.error !== undefined) return;
    this.error = error;
    this.ending = endingOfCode.get(error.code) ?? 'error';
  }

  #note(event: CanonicalEvent): void {
    if (event.type === 'usage') this.usage = event.usage;
    else if (event.type === 'response-start' && event.usage !== undefined) this.usage = event.usage;
    else if (event.type === 'warning' && this.warnings.length < mostWarnings) this.warnings.push(event);
    else if (event.type === 'response-end') this.ending ??= 'completed';
    else if (event.type === 'error') this.fail(event.error);
  }
}
