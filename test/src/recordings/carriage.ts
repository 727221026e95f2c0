/** What a dialect cannot carry, and what its client may see instead; all that is not here must arrive as it was sent. */
import { isDeepStrictEqual } from 'node:util';
import { parsed } from '../support/json.ts';
import type { Answer, Call, End, Tokens } from '../support/reading/reading.ts';

/** Another end that a client may be told of, and why. */
interface EndGap {
  said: End | undefined;
  told: End;
  /** Only toward these dialects; all where absent. */
  to?: readonly string[];
  /** Only where this holds for the answer as it was sent. */
  given?: (answer: Answer, doneMarker: boolean) => boolean;
  because: string;
}

const withCalls = ({ calls }: Answer): boolean => calls.length > 0;
const withoutCalls = ({ calls }: Answer): boolean => calls.length === 0;
const withDone = (_answer: Answer, doneMarker: boolean): boolean => doneMarker;
const withDoneAndCalls = (answer: Answer, doneMarker: boolean): boolean => doneMarker && withCalls(answer);

const NO_PAUSE = 'only Messages has a word for a pause';
const NO_WORD = 'the word is of no dialect but its own';
const NO_END = 'the upstream sent no end, and a client must be told';
const ONLY_DONE = '[DONE] says that the answer is whole, but not why it ended';

const endGaps: readonly EndGap[] = [
  { said: 'stop', told: 'tool_calls', given: withCalls, because: 'the calls are what is to be done next' },
  { said: 'tool_calls', told: 'stop', given: withoutCalls, because: 'the provider ran the calls itself' },
  { said: 'content_filter', told: 'refusal', to: ['messages'], because: 'Messages has one word for both' },
  {
    said: 'refusal',
    told: 'content_filter',
    to: ['chat', 'responses', 'gemini'],
    because: 'there is no word beside the text',
  },
  { said: 'pause', told: 'stop', to: ['chat', 'gemini'], because: NO_PAUSE },
  { said: 'pause', told: 'other', to: ['responses'], because: NO_PAUSE },
  { said: 'pause', told: 'length', to: ['interactions'], because: NO_PAUSE },
  { said: 'pause', told: 'tool_calls', given: withCalls, because: NO_PAUSE },
  {
    said: 'context_overflow',
    told: 'length',
    to: ['chat', 'responses', 'gemini', 'interactions'],
    because: 'it is a limit to them',
  },
  { said: 'other', told: 'stop', because: NO_WORD },
  { said: 'other', told: 'length', because: NO_WORD },
  { said: 'other', told: 'tool_calls', given: withCalls, because: NO_WORD },
  { said: undefined, told: 'error', because: NO_END },
  { said: undefined, told: 'stop', given: withDone, because: ONLY_DONE },
  { said: undefined, told: 'tool_calls', given: withDoneAndCalls, because: ONLY_DONE },
];

/** The ends that a client of `to` may be told. Its own dialect has a word for everything, except for an end that never came. */
export function endsFor(to: string, own: boolean, answer: Answer, doneMarker: boolean): readonly (End | undefined)[] {
  const { end } = answer;
  const gaps = endGaps.filter(
    (gap) =>
      gap.said === end &&
      (!own || (end === undefined && doneMarker && gap.told !== 'error')) &&
      (gap.to?.includes(to) ?? true) &&
      (gap.given?.(answer, doneMarker) ?? true),
  );
  const told = gaps.map((gap) => gap.told);
  return end === undefined && !own ? told : [end, ...told];
}

/** Dialects that tell a refusal from text. Elsewhere it is text, or goes without saying beside the end. */
export const carriesRefusal: ReadonlySet<string> = new Set(['chat', 'responses']);

/** Dialects with more than one answer. Elsewhere only the first one can be read. */
export const carriesChoices: ReadonlySet<string> = new Set(['chat', 'gemini']);

/** Dialects with free-form tools. Elsewhere the text is the one member of an object. */
const carriesCustom: ReadonlySet<string> = new Set(['chat', 'responses']);

/** Whether an input arrived. */
export function sameInput(to: string, sent: Call, got: Call): boolean {
  if (isDeepStrictEqual(sent.input, got.input)) return true;
  if (!sent.custom || (carriesCustom.has(to) && got.custom)) return false;
  const wrapped = { input: sent.input };
  return isDeepStrictEqual(got.input, wrapped) || isDeepStrictEqual(got.input, parsed(String(sent.input)));
}

/** Whether an id arrived: one that was never sent is invented, and Messages takes no other letters than these. */
export function sameId(to: string, sent: Call, got: Call): boolean {
  if (sent.id === undefined) return to === 'gemini' || got.id !== undefined;
  if (sent.id === got.id) return true;
  const legal = /^[a-zA-Z0-9_-]+$/;
  return to === 'messages' && !legal.test(sent.id) && legal.test(got.id ?? '');
}

/** Calls of tools that their provider runs itself under the name of a client's tool; nobody has to answer them. */
export function isHosted({ custom, name }: Call): boolean {
  return (
    custom &&
    /^(x_(keyword_search|semantic_search|user_search|thread_fetch|search)|view_x_video|view_image)$/.test(name)
  );
}

/** The inputs that a client may be told: an upstream that reads more from its cache than at all cannot be said exclusively. */
export function inputsFor(to: string, own: boolean, { input, cached = 0 }: Tokens): readonly number[] {
  return !own && to === 'messages' && cached > input ? [input, cached, input + cached] : [input];
}

/**
 * The counters beside the input that a client is told. Some dialects do not count what is written to a cache, and have
 * thoughts beside the answer, so that they cannot say that there were more of them than output.
 */
export function countersFor(
  to: string,
  own: boolean,
  { output, cached = 0, cacheWritten = 0, reasoning = 0 }: Tokens,
): object {
  if (own || (to !== 'gemini' && to !== 'interactions')) return { output, cached, cacheWritten, reasoning };
  return { output: Math.max(output, reasoning), cached, cacheWritten: 0, reasoning };
}

/** Whether reasoning arrived; the border of two parts may be a blank line where the dialect has no parts. */
export function sameReasoning(sent: readonly string[], got: readonly string[]): boolean {
  let rest = got.join('');
  for (const part of sent) {
    if (!rest.startsWith(part) && rest.startsWith('\n\n')) rest = rest.slice('\n\n'.length);
    if (!rest.startsWith(part)) return false;
    rest = rest.slice(part.length);
  }
  return rest === '';
}
