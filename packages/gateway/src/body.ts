/** A request's body as a value, whoever has read or parsed it. */
import { isDeeper } from '@streamglot/core';
import type { GatewayRequest } from './client.ts';
import type { GatewayLimits } from './config.ts';
import { badBody, wrongContentType } from './error.ts';

/** The body's value. Rejects with `GatewayError`: 415 for another content type, 413 over its limit, 400 for bad JSON. */
export async function readBody(
  request: GatewayRequest,
  { maxBodyBytes, maxDepth }: Pick<GatewayLimits, 'maxBodyBytes' | 'maxDepth'>,
): Promise<unknown> {
  const type = request.headers['content-type'];
  if (type !== undefined && !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type))
    throw wrongContentType(type.slice(0, 100));
  const body = await request.body(maxBodyBytes);
  if (body instanceof Uint8Array) return parse(new TextDecoder().decode(body), maxDepth);
  if (typeof body === 'string') return parse(body, maxDepth);
  if (nests(body, maxDepth)) throw tooDeep();
  return body;
}

/** Whether a value that a host has parsed nests deeper than so many levels; whoever writes it again would overflow. */
function nests(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nests(member, levels - 1));
}

function tooDeep(): ReturnType<typeof badBody> {
  return badBody('too_deep', 'The JSON of the body nests too deeply.');
}

function parse(text: string, maxDepth: number): unknown {
  if (text.trim() === '') throw badBody('empty_body', 'The body is empty; a JSON object was expected.');
  if (isDeeper(text, maxDepth)) throw tooDeep();
  try {
    return JSON.parse(text);
  } catch {
    throw badBody('invalid_json', 'The body is not valid JSON.');
  }
}
