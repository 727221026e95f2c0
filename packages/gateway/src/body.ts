/** A request's body as a value, whoever has read or parsed it. */
import { defaultLimits, isDeeper } from '@streamglot/core';
import type { GatewayRequest } from './client.ts';
import { badBody, wrongContentType } from './error.ts';

/** The body's value. Rejects with `GatewayError`: 415 for another content type, 413 over `maxBytes`, 400 for bad JSON. */
export async function readBody(request: GatewayRequest, maxBytes: number): Promise<unknown> {
  const type = request.headers['content-type'];
  if (type !== undefined && !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type))
    throw wrongContentType(type.slice(0, 100));
  const body = await request.body(maxBytes);
  if (body instanceof Uint8Array) return parse(new TextDecoder().decode(body));
  if (typeof body === 'string') return parse(body);
  if (nests(body, defaultLimits.maxDepth)) throw tooDeep();
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

function parse(text: string): unknown {
  if (text.trim() === '') throw badBody('empty_body', 'The body is empty; a JSON object was expected.');
  if (isDeeper(text, defaultLimits.maxDepth)) throw tooDeep();
  try {
    return JSON.parse(text);
  } catch {
    throw badBody('invalid_json', 'The body is not valid JSON.');
  }
}
