/** Text does not wait: what the upstream has said after a chunk, the client has got with that chunk. */
import { eventsOf } from '../support/events.ts';
import { list, object, text, type Wired } from '../support/json.ts';

/** Which text of the first answer an event carries, in each dialect. */
const saying: Readonly<Record<string, (event: Wired) => string>> = {
  chat: ({ choices }) => {
    const first = list(choices).find(({ index = 0 }) => index === 0);
    return textOf(object(first?.delta).content);
  },
  gemini: ({ candidates }) =>
    list(candidates)
      .filter(({ index = 0 }) => index === 0)
      .flatMap(({ content }) => list(object(content).parts))
      .map(({ text: said, thought }) => (thought === true ? '' : text(said)))
      .join(''),
  interactions: ({ delta }) => (object(delta).type === 'text' ? text(object(delta).text) : ''),
  messages: ({ delta, content_block: block }) =>
    [object(delta), object(block)]
      .map(({ type, text: said }) => (String(type).startsWith('text') ? text(said) : ''))
      .join(''),
  responses: ({ type, delta }) => (type === 'response.output_text.delta' ? text(delta) : ''),
};

/** Content is text, or typed parts. */
function textOf(content: unknown): string {
  return typeof content === 'string'
    ? content
    : list(content)
        .map((part) => text(part.text))
        .join('');
}

/** The first chunk of the upstream whose text the client did not get at once. Of every write, the one at the same place answers a chunk. */
export function waiting(
  from: string,
  to: string,
  chunks: readonly string[],
  writes: readonly string[],
): string | undefined {
  let owed = 0;
  for (const [at, chunk] of chunks.entries()) {
    owed += saidIn(from, chunk) - saidIn(to, writes[at] ?? '');
    if (owed > 0) return `${owed} characters of chunk ${at} wait`;
  }
  return undefined;
}

function saidIn(dialect: string, chunk: string): number {
  const said = saying[dialect];
  if (said === undefined) throw new Error(`nobody said where the text of ${dialect} is`);
  return eventsOf(chunk).reduce((length, { json }) => length + (json === undefined ? 0 : said(json).length), 0);
}
