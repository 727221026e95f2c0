/** Annotations of a Chat message to and from citations. */
import { asArray, asCount, asObject, asText, type Citation, compact, type JsonObject } from '../../dialect.ts';
import type { Sink } from './sink.ts';

/** The citation that an annotation is; nothing for a kind without an address. */
function decodeAnnotation(wire: unknown): Citation | undefined {
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

/** The annotations of one choice. Servers that resend all of them with each chunk would double them in the client. */
export class Annotations {
  readonly #sink: Sink;
  readonly #seen = new Set<string>();

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Reads a delta's annotations as citations of its text, each once. */
  read(delta: JsonObject, runs: { cite(citation: Citation): void }): void {
    const annotations = asArray(delta.annotations);
    const fresh = annotations.filter((annotation) => this.#isNew(JSON.stringify(annotation)));
    if (fresh.length < annotations.length) {
      this.#sink.mend();
      delta.annotations = fresh;
    }
    for (const annotation of fresh) {
      const citation = decodeAnnotation(annotation);
      if (citation !== undefined) runs.cite(citation);
    }
  }

  #isNew(annotation: string): boolean {
    if (this.#seen.has(annotation)) return false;
    this.#seen.add(annotation);
    this.#sink.keep(annotation.length);
    return true;
  }
}

/** The annotation for a citation; nothing where it has no address, for Chat knows no other kind. */
export function encodeAnnotation({ url, title, start = 0, end = 0 }: Citation): JsonObject | undefined {
  if (url === undefined) return undefined;
  return { type: 'url_citation', url_citation: { url, title: title ?? url, start_index: start, end_index: end } };
}
