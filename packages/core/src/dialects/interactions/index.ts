/** The Interactions dialect: streams of steps under indexes, with statuses and one completed interaction. */
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
import { InteractionsDecoder } from './decode.ts';
import { InteractionsEncoder } from './encode.ts';
import { decodeError, encodeError } from './error.ts';
import { decodeRequest, encodeRequest } from './request.ts';
import { decodeResponse, encodeResponse } from './response.ts';

export { decodeError, decodeRequest, decodeResponse, encodeError, encodeRequest, encodeResponse };

/** Frames of a stream to events. */
export function decoder(options: DecoderOptions): Decoder {
  return withThinking(new InteractionsDecoder(options), options);
}

/** Events to the text of a stream. */
export function encoder(options: EncoderOptions): Encoder {
  return new InteractionsEncoder(options);
}

/** Reads whatever an upstream answers: bytes in, one list of events for each frame out. Bundles nothing of requests. */
export function reader(options?: ReaderOptions): Stage<Uint8Array | string, FrameEvents> {
  return createReader({ decoder, decodeResponse, decodeError }, options);
}

/** `POST /interactions`; a comment keeps an idle stream alive. */
export const interactions: Dialect = {
  id: 'interactions',
  title: 'Interactions',
  routes: ['/v1beta/interactions', '/v1/interactions'],
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
