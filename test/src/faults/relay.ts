/** What a stream for a client of its upstream's dialect may show because its upstream showed it: all that the official SDK takes. */
import { isDeepStrictEqual } from 'node:util';
import { eventsOf } from '../support/events.ts';
import { grammarOf } from '../support/grammar/index.ts';
import { object } from '../support/json.ts';
import type { NamedCheck } from './cases.ts';
import type { Finding } from './finding.ts';

/** Checks that ask for a repair which no SDK needs: what has to be asked for, and be there instead, to stay. */
const relayable: Readonly<Record<string, (asked: unknown, got: unknown) => boolean>> = {
  finish_reason: (asked, got) => asked === 'tool_calls' && got === 'stop',
  event_count: (asked) => Object.keys(object(asked)).every((event) => countable.has(event)),
  id_constant: () => true,
  id_and_model_non_empty: () => true,
};

/** Events whose number is the upstream's affair. */
const countable: ReadonlySet<string> = new Set(['finish', 'usage', 'chunk', 'message_delta', 'ping']);

/** Whether a finding is what the upstream itself shows, and may stay. */
export function isRelayed({ check, value }: NamedCheck, found: Finding, upstream: Finding | undefined): boolean {
  const shown = upstream !== undefined && isDeepStrictEqual(found.got, upstream.got);
  return shown && relayable[check]?.(value, found.got) === true;
}

/** Rules that a relay may break where its upstream does. */
const tolerated: Readonly<Record<string, readonly RegExp[]>> = {
  chat: [
    /^object is/,
    /^id, model or created is missing/,
    /^(id|model|created) changes/,
    /^no choice in a chunk without usage/,
    /^usage (twice|before the finish|beside content)/,
    /^a role again/,
    /goes on after its finish/,
    /^finish_reason is/,
    /^tool_calls is no array/,
    /^tool call \d+ begins again/,
    /^tool call \d+ without function/,
    /has no arguments$/,
    /^the end is neither/,
  ],
  gemini: [
    /^a part after the finish/,
    /^two finishes/,
    /^a part of no kind/,
    /^a call (without a name|that is not whole)/,
    /^arguments that are no object/,
    /^finishReason is/,
    /^content of another role/,
    /^a chunk that says nothing/,
  ],
  interactions: [
    /^an event of type/,
    /^\w* in a \w+ step/,
    /^an empty signature/,
    /^an interaction without object or model/,
  ],
  messages: [
    /^message_delta twice/,
    /^a block of unknown type/,
    /^\w+ in a \w+ block/,
    /^\w+ without its text/,
    /^stop_reason is/,
    /^an event of type/,
  ],
};

/** What is wrong with a stream that may not be, given what its upstream shows. */
export function unlawful(dialect: string, stream: string, upstream: string): readonly string[] {
  const { violations } = grammarOf(dialect);
  const shown = new Set(violations(reframed(upstream)).map(ruleOf));
  const may = (rule: string): boolean =>
    shown.has(rule) && tolerated[dialect]?.some((known) => known.test(rule)) === true;
  return violations(stream).filter((violation) => !may(ruleOf(violation)));
}

function ruleOf(violation: string): string {
  return violation.replace(/^frame \d+: /, '');
}

/** The events of an upstream in clean framing. */
function reframed(upstream: string): string {
  return eventsOf(upstream)
    .map(({ name, data }) => `${name === undefined ? '' : `event: ${name}\n`}data: ${data.replaceAll('\n', ' ')}\n\n`)
    .join('');
}
