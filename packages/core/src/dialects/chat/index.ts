/** OpenAI's Chat Completions, and the many servers that speak it. */
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
} from '../../dialect.ts';
import { ChatDecoder } from './decode.ts';
import { ChatEncoder } from './encode.ts';
import { decodeError, encodeError } from './error.ts';
import { decodeRequest, encodeRequest } from './request.ts';
import { decodeResponse, encodeResponse } from './response.ts';

export { decodeError, decodeRequest, decodeResponse, encodeError, encodeRequest, encodeResponse };

/** Frames of a stream to events. */
export function decoder(options: DecoderOptions): Decoder {
  return new ChatDecoder(options);
}

/** Events to the text of a stream. */
export function encoder(options: EncoderOptions): Encoder {
  return new ChatEncoder(options);
}

/** Reads whatever an upstream answers: bytes in, one list of events for each frame out. Bundles nothing of requests. */
export function reader(options?: ReaderOptions): Stage<Uint8Array | string, FrameEvents> {
  return createReader({ decoder, decodeResponse, decodeError }, options);
}

/** The Chat Completions dialect. */
export const chat: Dialect = {
  id: 'chat',
  title: 'Chat Completions',
  routes: ['/v1/chat/completions'],
  decoder,
  encoder,
  keepAlive: () => comment('keep-alive'),
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeError,
  encodeError,
};
