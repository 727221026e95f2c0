/** Annotations of a Chat message to and from citations. */
import { asCount, asObject, asText, type Citation, compact, type JsonObject } from '../../dialect.ts';

/** The citation that an annotation is; nothing for a kind without an address. */
export function decodeAnnotation(wire: unknown): Citation | undefined {
  const annotation = asObject(wire);
  const cited = asObject(annotation?.url_citation) ?? annotation;
  const url = asText(cited?.url);
  if (cited === undefined || url === undefined) return undefined;
  return {
    kind: 'url',
    url,
    native: wire,
    ...compact({
      title: asText(cited.title),
      start: asCount(cited.start_index),
      end: asCount(cited.end_index),
      citedText: asText(cited.content),
    }),
  };
}

/** The annotation for a citation; nothing where it has no address, for Chat knows no other kind. */
export function encodeAnnotation({ url, title, start = 0, end = 0 }: Citation): JsonObject | undefined {
  if (url === undefined) return undefined;
  return { type: 'url_citation', url_citation: { url, title: title ?? url, start_index: start, end_index: end } };
}
