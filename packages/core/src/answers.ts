/** The part of a dialect's contract that reads its answers, so that an app without requests bundles none of their code. */
import type { Decoder, DecoderOptions } from './codec/decoder.ts';
import type { CanonicalError } from './model/error.ts';
import type { FrameEvents } from './model/event.ts';
import type { Stage } from './stage.ts';
import type { Frame } from './wire/frame.ts';

/** How whatever an upstream of one dialect answers is read: a stream, a whole answer, an error. */
export interface AnswerDecoders {
  /** Reads a stream that comes as one JSON array; absent where the dialect has none. */
  arrayReader?(maxFrameBytes: number): Stage<string, Frame>;
  /** Frames of a stream to events. */
  decoder(options: DecoderOptions): Decoder;
  /** Reads a whole answer as the events of one frame; the last one is the ending. */
  decodeResponse(body: unknown, options: DecoderOptions): FrameEvents;
  /** Reads an error answer; never throws, whatever the body is. */
  decodeError(answer: ErrorAnswer): CanonicalError;
}

/** An error as it came over HTTP. */
export interface ErrorAnswer {
  status: number;
  /** Header names in lower case. */
  headers: ReadonlyMap<string, string>;
  /** The parsed body, or its text where it is no JSON. */
  body: unknown;
}
