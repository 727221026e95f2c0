/** Citations: positions in a source here, a source beside the text in other dialects. */
import { asCount, asText, type Citation, compact, type JsonObject } from '../../dialect.ts';
import { citationTypes } from './terms.ts';

/** Reads a citation; one of an unknown type is kept as it is. */
export function decodeCitation(wire: JsonObject): Citation {
  const terms = citationTypes.get(asText(wire.type) ?? '');
  if (terms === undefined) return { kind: 'document', native: wire };
  const at = (member: string | undefined): unknown => (member === undefined ? undefined : wire[member]);
  const start = asCount(at(terms.start));
  return compact({
    kind: terms.kind,
    url: asText(at(terms.url)),
    title: asText(wire[terms.title]),
    fileId: asText(wire.file_id),
    start,
    end: asCount(at(terms.end)),
    unit: start === undefined ? undefined : terms.unit,
    citedText: asText(wire.cited_text),
    opaque: asText(wire.encrypted_index),
    native: wire,
  });
}

/** Writes a citation: as it came if it is of this dialect, else as a search result where it has a URL, else not at all. */
export function encodeCitation(citation: Citation, own: boolean): JsonObject | undefined {
  if (own && citation.native !== undefined) return citation.native as JsonObject;
  if (citation.url === undefined) return undefined;
  const { url, title = null, citedText = '' } = citation;
  return { type: 'web_search_result_location', url, title, cited_text: citedText, encrypted_index: '' };
}
