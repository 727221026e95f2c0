/** Placeholder until the requests of the dialect are written. */
import {
  asObject,
  asText,
  type CanonicalRequest,
  type DecodedRequest,
  type EncodedRequest,
  GatewayError,
  type RequestContext,
  type WireRequest,
} from '../../dialect.ts';

/** Reads no more of a request than its answer needs. */
export function decodeRequest({ body }: WireRequest): DecodedRequest {
  const fields = asObject(body) ?? {};
  const model = asText(fields.model);
  const context: RequestContext = { dialect: 'messages', stream: fields.stream === true };
  if (model !== undefined) context.model = model;
  return { request: { model: model ?? '', system: [], turns: [], tools: [] }, context };
}

/** Not written yet. */
export function encodeRequest(_request: CanonicalRequest, _context: RequestContext): EncodedRequest {
  throw new GatewayError({ type: 'unimplemented', message: 'Requests of this dialect are not written yet.' });
}
