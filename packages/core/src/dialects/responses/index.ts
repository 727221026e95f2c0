/** The Responses dialect: typed events over items, and a whole response at the end. */
import { comment, type Dialect, withThinking } from '../../dialect.ts';
import { ResponsesDecoder } from './decode.ts';
import { ResponsesEncoder } from './encode.ts';
import { decodeError, encodeError } from './error.ts';
import { decodeRequest, encodeRequest } from './request.ts';
import { decodeResponse, encodeResponse } from './response.ts';

/** The dialect of `POST /v1/responses`. */
export const responses: Dialect = {
  id: 'responses',
  title: 'Responses',
  routes: ['/v1/responses'],
  decoder: (options) => withThinking(new ResponsesDecoder(options), options),
  encoder: (options) => new ResponsesEncoder(options),
  keepAlive: () => comment('keep-alive'),
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeError,
  encodeError,
};
