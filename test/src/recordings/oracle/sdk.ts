/** The official SDKs, with a body in the place of the network. */
import Anthropic from '@anthropic-ai/sdk';
import { ApiError, type GenerateContentResponse, GoogleGenAI, type Interactions } from '@google/genai';
import OpenAI from 'openai';

/** The chunks of an answer. */
export type Body = readonly Uint8Array[];

const quiet = { apiKey: 'none', maxRetries: 0, logLevel: 'off' } as const;

/** OpenAI's SDK, which gets this body whatever it asks. */
export function openai(body: Body): OpenAI {
  return new OpenAI({ ...quiet, baseURL: 'http://upstream.invalid/v1', fetch: answering(body) });
}

/** Anthropic's SDK, which gets this body whatever it asks. */
export function anthropic(body: Body): Anthropic {
  return new Anthropic({ ...quiet, baseURL: 'http://upstream.invalid', fetch: answering(body) });
}

const pending = new Map<string, Body>();
const network = globalThis.fetch;

/** Google's SDK takes the global fetch only: a place of one of our names gets its body, all else the network. */
globalThis.fetch = (input, init) => {
  const name = /\/(body-\d+)\//.exec(input instanceof Request ? input.url : String(input))?.[1] ?? '';
  const body = pending.get(name);
  pending.delete(name);
  return body === undefined ? network(input, init) : answering(body)(input, init);
};

let asked = 0;

/** Every chunk that Google's SDK yields of this body. */
export function google(body: Body): Promise<AsyncGenerator<GenerateContentResponse>> {
  return reaching(body).models.generateContentStream({ model: 'a-model', contents: 'a question' });
}

/** Every event that its client of interactions yields. */
export function interacting(body: Body): Promise<AsyncIterable<Interactions.InteractionSSEEvent>> {
  return reaching(body).interactions.create({ model: 'a-model', input: 'a question', stream: true });
}

function reaching(body: Body): GoogleGenAI {
  const name = `body-${asked++}`;
  pending.set(name, body);
  return new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: `http://upstream.invalid/${name}/` } });
}

function answering(body: Body): typeof fetch {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
  return () => Promise.resolve(new Response(streamOf(body), { headers }));
}

function streamOf(body: Body): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of body) controller.enqueue(chunk);
      controller.close();
    },
  });
}

/** Every event that an SDK yields for a request of its dialect. */
export const requests: Readonly<Record<string, (body: Body) => PromiseLike<AsyncIterable<unknown>>>> = {
  gemini: google,
  interactions: interacting,
  chat: (body) => openai(body).chat.completions.create({ model: 'a-model', messages: [], stream: true }),
  messages: (body) => anthropic(body).messages.create({ model: 'a-model', max_tokens: 1, messages: [], stream: true }),
  responses: (body) => openai(body).responses.create({ model: 'a-model', input: 'a question', stream: true }),
};

/** Whether the stream itself reported an error; all else that an SDK throws says that it cannot read the bytes. */
export function isReported(thrown: unknown): boolean {
  return thrown instanceof OpenAI.APIError || thrown instanceof Anthropic.APIError || thrown instanceof ApiError;
}

/** What was thrown, for people. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
}
