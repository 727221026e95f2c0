/** A frame is what the wire's framing yields: one payload and, where the framing has one, its event name. */
import type { CanonicalError } from '../model/error.ts';

/** One frame of an upstream. */
export interface Frame {
  /** The event name, where there was one. */
  name: string | undefined;
  /** The payload, lines joined by a newline. */
  data: string;
  /** What the framing found wrong; the last frame then, with no payload. */
  fault?: CanonicalError;
}
