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

/** The members of each kind of annotation, and what stands for one of the wrong type; an address has no stand-in. Servers leave out what is not known, and the official SDK does not mind. */
const annotationMembers: Readonly<Record<string, Readonly<Record<string, string | number | undefined>>>> = {
  url_citation: { url: undefined, title: '', start_index: 0, end_index: 0 },
  file_citation: { file_id: undefined, filename: '', index: 0 },
  container_file_citation: { container_id: '', file_id: undefined, filename: '', start_index: 0, end_index: 0 },
  file_path: { file_id: undefined, index: 0 },
};

/** An annotation as clients can read it: the same object where it was sound, nothing where it names no source. */
export function soundAnnotation(value: unknown): JsonObject | undefined {
  const annotation = asObject(value);
  const type = asText(annotation?.type);
  if (annotation === undefined || type === undefined) return undefined;
  const wanted = Object.entries(entryOf(annotationMembers, type) ?? {});
  const wrong = wanted.filter(
    ([name, stand]) => name in annotation && typeof annotation[name] !== typeof (stand ?? ''),
  );
  if (wanted.some(([name, stand]) => stand === undefined && asText(annotation[name]) === undefined)) return undefined;
  if (wrong.length === 0) return annotation;
  return { ...annotation, ...Object.fromEntries(wrong) };
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

/** Whether clients can read a delta's `logprobs` as they came. */
export function areSoundLogprobs(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return Array.isArray(value) && value.every(isSoundToken);
}

function isSoundToken(value: unknown): boolean {
  const { token, logprob, top_logprobs: top } = asObject(value) ?? {};
  return typeof token === 'string' && typeof logprob === 'number' && Array.isArray(top);
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
