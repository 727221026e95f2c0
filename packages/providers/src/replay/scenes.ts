/** Named scripts: a model of such a name always plays its scene. */
import type { CanonicalRequest } from '@streamglot/core';
import { callOf, offeredTools } from './calls.ts';
import type { Script, ScriptedCall } from './script.ts';

/** A scene, made for a request. */
export type Scene = (request: CanonicalRequest) => Script;

const poem = 'Words arrive one by one, and every one of them arrives whole.';
const thought = 'The question is short, so the answer can be short as well.';

/** Every scene by the name of its model. */
export const scenes: Readonly<Record<string, Scene>> = {
  text: () => ({ text: poem }),
  reasoning: () => ({ reasoning: thought, text: 'It is as short as this.' }),
  tool: (request) => ({ toolCalls: callsOf(request).slice(0, 1) }),
  parallel: (request) => ({ text: 'Two things at once.', toolCalls: callsOf(request) }),
  interleaved: (request) => ({ toolCalls: callsOf(request), interleaved: true }),
  length: () => ({ text: 'This answer was going to be longer, but its tokens ran', finish: 'length' }),
  refusal: () => ({ refusal: 'That is something I will not help with.' }),
  'content-filter': () => ({ text: 'This answer met a filter in the', finish: 'content_filter' }),
  'stop-sequence': () => ({ text: 'One, two, ', finish: 'stop', stopSequence: 'three' }),
  multibyte: () => ({ text: 'Grüße, 日本語の文章, Ελληνικά, עברית, 👩‍👩‍👧‍👦 and 🏳️‍🌈: every character whole.' }),
  slow: () => ({ text: poem, delayMs: 400 }),
  cut: () => ({ text: poem, cutAfter: 5 }),
  error: () => ({
    text: 'This answer begins well, and then',
    error: { type: 'overloaded', code: 'scripted_error', message: 'The scripted upstream failed, as it was told to.' },
  }),
  'rate-limit': () => ({
    error: {
      type: 'rate_limit',
      code: 'scripted_rate_limit',
      status: 429,
      message: 'The scripted upstream is asked too often, as it was told to be.',
      retryAfterMs: 2_000,
    },
  }),
};

/** Calls of the first two tools, or two calls of the only one; of a made-up tool where none is offered. */
function callsOf(request: CanonicalRequest): readonly ScriptedCall[] {
  const offered = offeredTools(request).slice(0, 2).map(callOf);
  const [first = { name: 'lookup', input: { query: 'first' } }, second = first] = offered;
  return [first, second];
}
