/** What class of error a client can tell from the words that its dialect has. */
import { text, type Wired } from '../support/json.ts';

/** The classes in the words of the fault cases. */
export type ErrorClass =
  | 'context_length_exceeded'
  | 'quota'
  | 'rate_limit'
  | 'overloaded'
  | 'malformed_tool_arguments'
  | 'stream_truncated'
  | 'malformed_stream'
  | 'invalid_request'
  | 'upstream_error';

/** The words of each class; the first that fits counts. */
const classes: readonly (readonly [words: RegExp, type: ErrorClass])[] = [
  [/context_length|context.window/, 'context_length_exceeded'],
  [/quota|billing|payment|insufficient/, 'quota'],
  [/rate_limit|resource_exhausted|too_many_requests|\b429\b/, 'rate_limit'],
  [/overloaded|unavailable|\b5(03|29)\b/, 'overloaded'],
  [/malformed_tool|malformed_function|tool_arguments/, 'malformed_tool_arguments'],
  [/truncated|incomplete_stream|stream_ended|disconnect/, 'stream_truncated'],
  [/malformed|invalid_json|parse/, 'malformed_stream'],
  [/invalid|not_found|failed_precondition|permission|authentication|\b4(0\d|1\d|2[0-8])\b/, 'invalid_request'],
];

/** The class of an error object. */
export function classOf({ type, code, status }: Wired): ErrorClass {
  const words = [type, code, status].map((word) => text(word) || (typeof word === 'number' ? `${word}` : ''));
  const said = words.join(' ').toLowerCase();
  return classes.find(([pattern]) => pattern.test(said))?.[1] ?? 'upstream_error';
}

/** Who has to act: a client should see the right one of these even where its dialect lacks the word for the class. */
export const groups: Readonly<Record<ErrorClass, 'request' | 'limit' | 'server'>> = {
  invalid_request: 'request',
  context_length_exceeded: 'request',
  rate_limit: 'limit',
  quota: 'limit',
  overloaded: 'server',
  upstream_error: 'server',
  stream_truncated: 'server',
  malformed_stream: 'server',
  malformed_tool_arguments: 'server',
};

/** The classes that each dialect has a word for, so that they must arrive as they are. */
export const exact: Readonly<Record<string, readonly string[]>> = {
  chat: ['rate_limit'],
  gemini: ['overloaded', 'rate_limit'],
  interactions: ['rate_limit'],
  messages: ['overloaded', 'rate_limit'],
  responses: ['rate_limit'],
};

/** The classes that may stand for an HTTP status. */
export const statuses: Readonly<Record<number, readonly string[]>> = {
  400: ['invalid_request', 'context_length_exceeded'],
  429: ['rate_limit', 'quota'],
  503: ['overloaded'],
  529: ['overloaded'],
};
