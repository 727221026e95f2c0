/** What must come of each fault of an upstream: what the client sees, and what becomes of the deployment. */
import type { ErrorType, Outcome } from '@streamglot/core';
import type { Standing } from '@streamglot/routing';

/** What a client sees: an answer, or an error; `torn` has text before it, `late` a head. */
export type Sight = 'answer' | 'fall-back' | 'nothing' | ErrorType | `late ${ErrorType}` | `torn ${ErrorType}`;

/** What becomes of the deployment that fails. */
export interface Fate {
  readonly outcome: Outcome;
  readonly standing: Standing;
  /** Failures that count toward a rest. */
  readonly failures: number;
  /** Milliseconds of rest, with half of its random part. */
  readonly restMs: number;
}

/** What must come of a fault. */
export interface Expected {
  /** What the client sees where there is no other deployment, and where there is one. */
  readonly sights: readonly [one: Sight, two: Sight];
  readonly fate: Fate;
  /** How often the deployment is asked where there is no other one, and what becomes of it then, if that differs. */
  readonly again?: { readonly tries: number; readonly fate: Fate };
}

const unharmed: Fate = { outcome: 'failed', standing: 'healthy', failures: 0, restMs: 0 };
const counted: Fate = { ...unharmed, failures: 1 };
const truncated: Fate = { ...counted, outcome: 'truncated' };
const stalled: Fate = { ...counted, outcome: 'stalled' };
const well: Fate = { ...unharmed, outcome: 'completed' };

function resting(restMs: number): Fate {
  return { outcome: 'failed', standing: 'cooling', failures: 0, restMs };
}

/** The first rest that no upstream asks for. */
const first = resting(1_050);
const minute = resting(60_000);

function told(type: ErrorType, fate: Fate = unharmed): Expected {
  return { sights: [type, type], fate };
}

function moved(one: Sight, fate: Fate): Expected {
  return { sights: [one, 'fall-back'], fate };
}

function torn(type: ErrorType, fate: Fate): Expected {
  return { sights: [`torn ${type}`, `torn ${type}`], fate };
}

const answered: Expected = { sights: ['answer', 'answer'], fate: well };

/** Faults by their name: streamed, and whole where that differs. */
export const expectations: Readonly<Record<string, readonly [streamed: Expected, whole?: Expected]>> = {
  refuse: [moved('upstream', first)],
  'RST before the head': [moved('upstream', counted)],
  'FIN before the head': [moved('upstream', counted)],
  '400': [told('invalid_request')],
  '401': [moved('authentication', minute)],
  '402': [moved('billing', minute)],
  '403': [moved('permission', counted)],
  '404': [moved('not_found', unharmed)],
  '408': [{ ...moved('timeout', counted), again: { tries: 3, fate: first } }],
  '409': [{ ...moved('conflict', unharmed), again: { tries: 3, fate: unharmed } }],
  '413': [told('too_large')],
  '422': [told('invalid_request')],
  '429': [moved('rate_limit', first)],
  '429 with retry-after': [moved('rate_limit', resting(7_000))],
  '429 with a spend limit': [moved('billing', minute)],
  '500': [moved('api_error', counted)],
  '502': [moved('upstream', counted)],
  '503': [moved('overloaded', counted)],
  '504': [moved('timeout', counted)],
  '529': [moved('overloaded', counted)],
  'a redirect': [moved('upstream', counted)],
  'a hang before the head': [moved('timeout', counted)],
  'a hang before output': [moved('late timeout', stalled), moved('timeout', stalled)],
  'a hang after output': [torn('timeout', stalled), moved('timeout', stalled)],
  'FIN before output': [moved('late upstream', truncated), moved('upstream', truncated)],
  'FIN after output': [torn('upstream', truncated), moved('upstream', truncated)],
  'RST before output': [moved('late upstream', truncated), moved('upstream', truncated)],
  'RST after output': [torn('upstream', truncated), moved('upstream', truncated)],
  'bad JSON before output': [moved('upstream', counted), moved('upstream', truncated)],
  'bad JSON after output': [torn('upstream', counted), moved('upstream', truncated)],
  'a page of HTML': [moved('upstream', counted)],
  'a cut gzip': [torn('upstream', truncated), moved('upstream', truncated)],
  'an error under 200': [moved('upstream', counted)],
  'an error after lifecycle': [moved('late upstream', counted), moved('upstream', counted)],
  'an error after output': [torn('upstream', counted), moved('upstream', counted)],
  'an empty 200': [moved('upstream', truncated)],
  'an empty answer': [moved('nothing', counted)],
  'a slow drip': [answered],
  'nothing wrong': [answered],
};

/** The HTTP status of each error type, and those of the dialects that have others. */
const statuses: Readonly<Record<string, Readonly<Partial<Record<ErrorType, number>>>>> = {
  all: {
    invalid_request: 400,
    authentication: 401,
    billing: 429,
    permission: 403,
    not_found: 404,
    conflict: 409,
    too_large: 413,
    rate_limit: 429,
    api_error: 500,
    upstream: 502,
    overloaded: 503,
    timeout: 504,
  },
  messages: { billing: 402, overloaded: 529 },
  interactions: { billing: 402 },
};

/** Dialects whose official client tells the status of an error also in-band. */
const tellsStatus: ReadonlySet<string> = new Set(['gemini']);

/** What a client of a dialect shows of an error: its status, or that it came in-band. */
export function statusIn(dialect: string, type: ErrorType, isInBand: boolean): string {
  if (isInBand && !tellsStatus.has(dialect)) return 'in-band';
  return String(statuses[dialect]?.[type] ?? statuses.all?.[type]);
}

/** The fate where a whole answer of nothing is all that there is. */
export const emptyButWell: Fate = well;
