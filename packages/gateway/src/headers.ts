/** Which headers pass through the gateway, in and out, by list; all others stay where they are. */

const inward: ReadonlySet<string> = new Set([
  'anthropic-beta',
  'openai-beta',
  'idempotency-key',
  'traceparent',
  'tracestate',
  'x-server-timeout',
]);

const outward = /^(?:retry-after|retry-after-ms|x-should-retry|(?:x|anthropic)-ratelimit-[a-z0-9-]+)$/;

/** A value that can stand in a header of any HTTP version. */
const printable = /^[\t\x20-\x7e]*$/;

/** The client's headers that the upstream gets. */
export function passedIn(headers: Readonly<Record<string, string | undefined>>): ReadonlyMap<string, string> {
  const passed = new Map<string, string>();
  for (const name of inward) {
    const value = headers[name];
    if (value !== undefined) passed.set(name, value);
  }
  return passed;
}

/** The upstream's headers that the client gets. */
export function passedOut(headers: ReadonlyMap<string, string> | undefined): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of headers ?? []) if (outward.test(name) && printable.test(value)) passed[name] = value;
  return passed;
}

/** The request's id under both names that official clients read. */
export function requestIds(id: string): Record<string, string> {
  return printable.test(id) ? { 'x-request-id': id, 'request-id': id } : {};
}

/** When to try again, for clients that read seconds and for those that read milliseconds. */
export function retryAfter(ms: number | undefined): Record<string, string> {
  if (ms === undefined || !Number.isFinite(ms) || ms < 0) return {};
  return { 'retry-after': String(Math.ceil(ms / 1000)), 'retry-after-ms': String(Math.ceil(ms)) };
}

/** Head of an event stream. `no-transform` keeps compressing middleware from holding events back. */
export const streamHead: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
};

/** Head of a stream that is one JSON array. */
export const arrayHead: Readonly<Record<string, string>> = {
  ...streamHead,
  'content-type': 'application/json; charset=utf-8',
};

/** Head of a JSON answer. */
export const jsonHead: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
};

/** Milliseconds that the client gives the whole answer; Google's clients say it in seconds. */
export function timeoutOf(headers: Readonly<Record<string, string | undefined>>): number {
  const seconds = Number(headers['x-server-timeout'] ?? Number.NaN);
  return seconds > 0 ? seconds * 1000 : Number.POSITIVE_INFINITY;
}
