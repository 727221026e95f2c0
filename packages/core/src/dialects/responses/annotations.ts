/** Annotations and log-probabilities of a text, to and from citations and tokens. */
import {
  asArray,
  asCount,
  asNumber,
  asObject,
  asText,
  type Citation,
  compact,
  entryOf,
  type JsonObject,
  type TokenLogprob,
} from '../../dialect.ts';

const kinds: Readonly<Record<string, Citation['kind']>> = {
  url_citation: 'url',
  file_citation: 'file',
  container_file_citation: 'file',
  file_path: 'file',
};

/** Reads an annotation; nothing where its type is unknown. */
export function decodeAnnotation(value: unknown): Citation | undefined {
  const annotation = asObject(value);
  const kind = entryOf(kinds, asText(annotation?.type) ?? '');
  if (annotation === undefined || kind === undefined) return undefined;
  return compact({
    kind,
    url: asText(annotation.url),
    title: asText(annotation.title),
    fileId: asText(annotation.file_id),
    filename: asText(annotation.filename),
    start: asNumber(annotation.start_index),
    end: asNumber(annotation.end_index),
    native: annotation,
  });
}

/** Writes a citation as an annotation; nothing where it has neither an address nor a file. */
export function encodeAnnotation(citation: Citation): JsonObject | undefined {
  const native = asObject(citation.native);
  if (native !== undefined && isOurs(native)) return native;
  if (citation.url !== undefined)
    return {
      type: 'url_citation',
      url: citation.url,
      title: citation.title ?? '',
      start_index: citation.start ?? 0,
      end_index: citation.end ?? 0,
    };
  if (citation.fileId === undefined) return undefined;
  return {
    type: 'file_citation',
    file_id: citation.fileId,
    filename: citation.filename ?? '',
    index: citation.start ?? 0,
  };
}

/** Chat nests the members of a `url_citation`; ours are flat. */
function isOurs(native: JsonObject): boolean {
  return entryOf(kinds, asText(native.type) ?? '') !== undefined && native.url_citation === undefined;
}

/** Reads `logprobs`; nothing where there are none. */
export function decodeLogprobs(value: unknown): readonly TokenLogprob[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.map(decodeToken);
}

/** Writes tokens as `logprobs`. */
export function encodeLogprobs(tokens: readonly TokenLogprob[]): JsonObject[] {
  return tokens.map(({ token, logprob, bytes, top }) => ({
    token,
    logprob,
    bytes: bytes ?? [],
    top_logprobs: (top ?? []).map((other) => ({
      token: other.token,
      logprob: other.logprob,
      bytes: other.bytes ?? [],
    })),
  }));
}

function decodeToken(value: unknown): TokenLogprob {
  const token = asObject(value) ?? {};
  const top = asArray(token.top_logprobs);
  return compact({
    token: asText(token.token) ?? '',
    logprob: asNumber(token.logprob) ?? 0,
    bytes:
      Array.isArray(token.bytes) && token.bytes.every((byte) => asCount(byte) !== undefined)
        ? (token.bytes as number[])
        : undefined,
    top: top.length > 0 ? top.map(decodeToken) : undefined,
  });
}
