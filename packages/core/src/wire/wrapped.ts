/** Payloads that a server has wrapped once too often: behind a field name written twice, in quotation marks, or in a list. */

/** The field name where it stands again in the field. */
const again = /^(?:data:\s*)+/;

/** Characters of a list that is taken apart; a parser takes a hundred bytes for each bracket. */
const longest = 1 << 20;

/** The payloads in a text, most often the one that it is. */
export function payloadsIn(data: string): readonly string[] {
  const text = data.startsWith('data:') ? data.replace(again, '') : data;
  const first = text[0];
  if ((first !== '"' && first !== '[') || text.length > longest) return [text];
  const value = parsed(text);
  if (typeof value === 'string') return [value.trimStart().startsWith('{') ? value : text];
  const isList = Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'object' && entry);
  return isList ? value.map((entry) => JSON.stringify(entry)) : [text];
}

/** The value of a JSON text; nothing where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
