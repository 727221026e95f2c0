/** Payloads of no dialect that say nothing but what went wrong, as frameworks and proxies write them into a stream. */
import { asArray, asObject, asText, type JsonObject } from './json.ts';

/**
 * The error that a payload is though its dialect has no such form: `{detail: "..."}`, `{code, message}`, `{errors: [...]}`,
 * or `{message}` in an event whose name says that it is an exception. Nothing where it is no error.
 */
export function bareError(payload: JsonObject, name: string | undefined): JsonObject | undefined {
  const [first] = asArray(payload.errors);
  if (first !== undefined) return asObject(first) ?? { message: first };
  const message = asText(payload.message);
  const isCoded = payload.code !== undefined || payload.status !== undefined;
  if (message !== undefined && (isCoded || (name !== undefined && /exception$/i.test(name)))) return payload;
  const detail = asText(payload.detail);
  return detail === undefined ? undefined : { ...payload, message: message ?? detail };
}
