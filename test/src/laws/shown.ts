/** The text that a client has, so far, from the bytes that it got. */

type Payload = Readonly<Record<string, unknown>>;

interface ChatPayload {
  choices?: readonly { index?: number; delta?: { content?: string | null; refusal?: string | null } }[];
}

interface GeminiPayload {
  candidates?: readonly {
    index?: number;
    content?: { parts?: readonly { text?: string; thought?: boolean }[] };
  }[];
}

/** The piece of text in a payload, for the first choice; refusals are text to their reader. */
const pieces: Readonly<Record<string, (payload: Payload) => string>> = {
  chat: ({ choices }: ChatPayload) =>
    (choices ?? [])
      .map(({ index, delta }) => (index === 0 ? (delta?.content ?? '') + (delta?.refusal ?? '') : ''))
      .join(''),
  responses: ({ type, delta }: { type?: string; delta?: string }) =>
    type === 'response.output_text.delta' || type === 'response.refusal.delta' ? (delta ?? '') : '',
  messages: ({ delta }: { delta?: { type?: string; text?: string } }) =>
    delta?.type === 'text_delta' ? (delta.text ?? '') : '',
  interactions: ({ delta }: { delta?: { type?: string; text?: string } }) =>
    delta?.type === 'text' ? (delta.text ?? '') : '',
  gemini: ({ candidates }: GeminiPayload) =>
    (candidates ?? [])
      .filter(({ index = 0 }) => index === 0)
      .flatMap(({ content }) => content?.parts ?? [])
      .map(({ text = '', thought }) => (thought === true ? '' : text))
      .join(''),
};

/** Reads what a client was sent, piece by piece. */
export function shownIn(dialect: string, text: string): string {
  const piece = pieces[dialect];
  if (piece === undefined) throw new Error(`nobody knows where the text of ${dialect} stands: add it to shown.ts`);
  return payloadsOf(text).map(piece).join('');
}

/** The payloads of a stream that are JSON. */
export function payloadsOf(text: string): Payload[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}
