/** Payloads inside a text that is no JSON object: behind a field name that was written twice, in quotation marks, or in a list. */
import { asObject, isDeeper, type JsonObject, parseJson } from './json.ts';

const twice = /^(?:data:\s*)+/;

/** A text without the name of the field that it stands in, which some servers write again. */
export function withoutField(text: string): string {
  return text.replace(twice, '');
}

/** The payloads in a text that is none itself; empty where there is anything else in it. */
export function payloadsIn(text: string, maxDepth: number): readonly JsonObject[] {
  const value = parseJson(withoutField(text));
  const told = typeof value === 'string' ? (isDeeper(value, maxDepth) ? undefined : parseJson(value)) : value;
  const payloads = (Array.isArray(told) ? told : [told]).map(asObject);
  return payloads.every((payload) => payload !== undefined) ? payloads : [];
}
