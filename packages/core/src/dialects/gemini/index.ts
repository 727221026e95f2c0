/** The Gemini dialect: streams of partial answers, as server-sent events or as one JSON array. */
import type { Dialect } from '../../dialect.ts';
import { GeminiDecoder } from './decode.ts';
import { GeminiEncoder } from './encode.ts';
import { decodeError, encodeError } from './error.ts';
import { decodeRequest, encodeRequest } from './request.ts';
import { decodeResponse, encodeResponse } from './response.ts';

/** `generateContent` and `streamGenerateContent`. Nothing keeps an idle stream alive that all its clients can read. */
export const gemini: Dialect = {
  id: 'gemini',
  title: 'Gemini',
  routes: ['/v1beta', '/v1'].flatMap((root) => [
    `${root}/models/{model}:generateContent`,
    `${root}/models/{model}:streamGenerateContent`,
  ]),
  streamsArrays: true,
  decoder: (options) => new GeminiDecoder(options),
  encoder: (options) => new GeminiEncoder(options),
  keepAlive: () => '',
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeError,
  encodeError,
};
