/** The Responses dialect: typed events over items, and a whole response at the end. */
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
import { ResponsesDecoder } from './decode.ts';
import { ResponsesEncoder } from './encode.ts';
import { decodeError, encodeError } from './error.ts';
import { decodeRequest, encodeRequest } from './request.ts';
import { decodeResponse, encodeResponse } from './response.ts';

export { decodeError, decodeRequest, decodeResponse, encodeError, encodeRequest, encodeResponse };

/** Frames of a stream to events. */
export function decoder(options: DecoderOptions): Decoder {
  return withThinking(new ResponsesDecoder(options), options);
}

/** Events to the text of a stream. */
export function encoder(options: EncoderOptions): Encoder {
  return new ResponsesEncoder(options);
}

/** Reads whatever an upstream answers: bytes in, one list of events for each frame out. Bundles nothing of requests. */
export function reader(options?: ReaderOptions): Stage<Uint8Array | string, FrameEvents> {
  return createReader({ decoder, decodeResponse, decodeError }, options);
}

/** The dialect of `POST /v1/responses`. */
export const responses: Dialect = {
  id: 'responses',
  title: 'Responses',
  routes: ['/v1/responses'],
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
