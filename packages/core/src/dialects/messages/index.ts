/** The Messages dialect: streams of typed events around numbered content blocks. */
import { comment, type Dialect, withThinking } from '../../dialect.ts';
import { MessagesDecoder } from './decode.ts';
import { MessagesEncoder } from './encode.ts';
import { decodeError, encodeError } from './error.ts';
import { decodeRequest, encodeRequest } from './request.ts';
import { decodeResponse, encodeResponse } from './response.ts';

/** Messages, as its two API versions of 2023-06-01 and 2026-10-21 stream it. */
export const messages: Dialect = {
  id: 'messages',
  title: 'Messages',
  routes: ['/v1/messages'],
  decoder: (options) => withThinking(new MessagesDecoder(options), options),
  encoder: (options) => new MessagesEncoder(options),
  keepAlive: (begun) => (begun ? 'event: ping\ndata: {"type":"ping"}\n\n' : comment('keep-alive')),
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeError,
  encodeError,
};
