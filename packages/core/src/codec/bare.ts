/** Payloads of no dialect that say nothing but what went wrong, as frameworks and proxies write them into a stream. */
import { asArray, asObject, asText, type JsonObject } from './json.ts';

/**
 * The error that a payload is though its dialect has no such form: `{detail: "..."}`, `{code, message}`, `{errors: [...]}`,
 * or `{message}` in an event whose name says that it is an exception. Nothing where it is no error.
 */
export function bareError(payload: JsonObject, name: string | undefined): JsonObject | undefined {
  const [first] = asArray(payload.errors);
  if (first !== undefined) return asObject(first) ?? { message: first };
  const message = wordsOf(payload.message) ?? asText(payload.msg);
  if (message !== undefined && (isCoded(payload) || (name !== undefined && /exception$/i.test(name))))
    return { ...payload, message };
  const detail = wordsOf(payload.detail);
  return detail === undefined ? undefined : { ...payload, message: message ?? detail };
}

/** Codes that say that all is well. */
const fine: ReadonlySet<unknown> = new Set([undefined, null, 0, '0', 200, '200']);

function isCoded({ code, status, error, success }: JsonObject): boolean {
  return !fine.has(code) || !fine.has(status) || error === true || success === false;
}

/** What an error says: a text, or the text of an object or of the first entry of a list. */
export function wordsOf(value: unknown): string | undefined {
  const { message, detail, msg, text } = asObject(Array.isArray(value) ? value[0] : value) ?? {};
  return asText(value) ?? asText(message) ?? asText(detail) ?? asText(msg) ?? asText(text);
}
