/** OpenAI's Chat Completions, and the many servers that speak it. */
import { comment, type Dialect } from '../../dialect.ts';
import { ChatDecoder } from './decode.ts';
import { ChatEncoder } from './encode.ts';
import { decodeError, encodeError } from './error.ts';
import { decodeRequest, encodeRequest } from './request.ts';
import { decodeResponse, encodeResponse } from './response.ts';

/** The Chat Completions dialect. */
export const chat: Dialect = {
  id: 'chat',
  title: 'Chat Completions',
  routes: ['/v1/chat/completions'],
  decoder: (options) => new ChatDecoder(options),
  encoder: (options) => new ChatEncoder(options),
  keepAlive: () => comment('keep-alive'),
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeError,
  encodeError,
};
