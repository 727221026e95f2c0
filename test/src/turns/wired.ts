/** Reading of what was sent: JSON as it came, and the payloads of a stream. */
import { list, object } from '../support/json.ts';

export { list, object };

/** A JSON object. */
export type Wired = Readonly<Record<string, unknown>>;

/** The payloads of a stream of server-sent events. */
export function payloads(text: string): Wired[] {
  const data = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? line.slice(6).trim() : []));
  return data.filter((payload) => payload !== '[DONE]').map((payload) => JSON.parse(payload) as Wired);
}

/** The one tool that is on offer. */
export const tool = {
  name: 'get_weather',
  description: 'Tells the weather.',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const;

/** What an upstream says to results that are not those of the calls before them; nothing where they are. */
export function unanswered(calls: readonly { id: string }[], results: readonly { id: string }[]): string | undefined {
  const [asked, given] = [calls, results].map((list) =>
    list
      .map(({ id }) => id)
      .toSorted()
      .join(),
  );
  return asked === given ? undefined : `results for ${calls.map(({ id }) => id)}`;
}
