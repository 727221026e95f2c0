/** The Messages dialect: streams of typed events around numbered content blocks. */
import {
  comment,
  createReader,
  type Decoder,
  type DecoderOptions,
  type Dialect,
  type Encoder,
  type EncoderOptions,
  type FrameEvents,
  type ReaderOptions,
  type Stage,
  withThinking,
} from '../../dialect.ts';
import { MessagesDecoder } from './decode.ts';
import { MessagesEncoder } from './encode.ts';
import { decodeError, encodeError } from './error.ts';
import { decodeRequest, encodeRequest } from './request.ts';
import { decodeResponse, encodeResponse } from './response.ts';

export { decodeError, decodeRequest, decodeResponse, encodeError, encodeRequest, encodeResponse };

/** Frames of a stream to events. */
export function decoder(options: DecoderOptions): Decoder {
  return withThinking(new MessagesDecoder(options), options);
}

/** Events to the text of a stream. */
export function encoder(options: EncoderOptions): Encoder {
  return new MessagesEncoder(options);
}

/** Reads whatever an upstream answers: bytes in, one list of events for each frame out. Bundles nothing of requests. */
export function reader(options?: ReaderOptions): Stage<Uint8Array | string, FrameEvents> {
  return createReader({ decoder, decodeResponse, decodeError }, options);
}

/** Messages, as its two API versions of 2023-06-01 and 2026-10-21 stream it. */
export const messages: Dialect = {
  id: 'messages',
  title: 'Messages',
  routes: ['/v1/messages'],
  decoder,
  encoder,
  keepAlive: (begun) => (begun ? 'event: ping\ndata: {"type":"ping"}\n\n' : comment('keep-alive')),
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeError,
  encodeError,
};
