/** Placeholder until requests are read and written. */
import {
  asObject,
  asText,
  type CanonicalRequest,
  compact,
  type DecodedRequest,
  type EncodedRequest,
  GatewayError,
  type WireRequest,
} from '../../dialect.ts';

/** Reads the little that an answer depends on. */
export function decodeRequest({ body }: WireRequest): DecodedRequest {
  const wire = asObject(body) ?? {};
  const model = asText(wire.model);
  const includeUsage = asObject(wire.stream_options)?.include_usage;
  const request: CanonicalRequest = { model: model ?? '', system: [], turns: [], tools: [] };
  const context = {
    dialect: 'chat' as const,
    stream: wire.stream === true,
    ...compact({ model, includeUsage: typeof includeUsage === 'boolean' ? includeUsage : undefined }),
  };
  return { request, context };
}

/** Not written yet. */
export function encodeRequest(): EncodedRequest {
  throw new GatewayError({ type: 'unimplemented', message: 'Requests are not written yet.' });
}
