/** An answer whose status is no success, as the error that it stands for. */
import { type CanonicalError, type Dialect, scrub } from '@streamglot/core';
import type { TransportReply } from './transport/transport.ts';

/** Bytes of an error body that are read; the rest says nothing more. */
const maxErrorBytes = 262_144;

/** Reads the error of an answer. Its connection is let go. */
export async function refusal(reply: TransportReply, dialect: Dialect): Promise<CanonicalError> {
  if (reply.status < 400) return unexpected(reply);
  const text = await textOf(reply);
  const error = dialect.decodeError({ status: reply.status, headers: reply.headers, body: parsed(text) });
  const requestId = error.requestId ?? requestIdOf(reply.headers);
  const message = scrub(error.message);
  return { ...error, status: reply.status, message, ...(requestId !== undefined && { requestId }) };
}

/** The id under which the upstream knows the request. */
export function requestIdOf(headers: ReadonlyMap<string, string>): string | undefined {
  return headers.get('request-id') ?? headers.get('x-request-id') ?? headers.get('x-generation-id');
}

/** Redirects are not followed: they would carry the key and the conversation to an address nobody configured. */
function unexpected(reply: TransportReply): CanonicalError {
  reply.body.release();
  const { status } = reply;
  const redirect = status >= 300;
  return {
    type: 'upstream',
    code: redirect ? 'redirect_refused' : 'unexpected_status',
    status,
    message: redirect ? 'The upstream redirects to another address.' : 'The upstream answered with no final status.',
  };
}

/** The text of a short answer. Never fails: a body that breaks off says what it has said. */
export async function textOf({ body }: Pick<TransportReply, 'body'>): Promise<string> {
  const utf8 = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (let part = await body.read(); 'bytes' in part; part = await body.read()) {
    text += utf8.decode(part.bytes, { stream: true });
    bytes += part.bytes.length;
    if (bytes > maxErrorBytes) break;
  }
  body.release();
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
