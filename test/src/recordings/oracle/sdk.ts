/** The official SDKs, with a body in the place of the network. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { Accumulated, Fault } from './reading.ts';

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

/** Reads a stream to its end; tells what the SDK throws. */
export async function drain(
  stream: PromiseLike<AsyncIterable<unknown>>,
  take: (event: unknown) => void,
): Promise<Fault | undefined> {
  try {
    for await (const event of await stream) take(event);
    return undefined;
  } catch (thrown) {
    const reported = thrown instanceof OpenAI.APIError || thrown instanceof Anthropic.APIError;
    return { message: messageOf(thrown), reported };
  }
}

/** What an accumulator makes of a stream, or what it throws. */
export async function accumulate(whole: () => Promise<Accumulated>): Promise<Accumulated> {
  try {
    return await whole();
  } catch (thrown) {
    return { failure: messageOf(thrown) };
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
}
