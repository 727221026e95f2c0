/** What the models of the law say, step by step. */
import type { Piece } from '../support/scenes.ts';
import type { Script } from './maker.ts';
import { tool } from './wired.ts';

const cities = ['Köln', '東京', 'Oslo', 'Lima'];

/** A call; each is of another city, so that each is known wherever it comes back. */
function call(number: number): Piece[] {
  const text = JSON.stringify({ city: cities[number] });
  return [
    { type: 'call', call: number, name: tool.name },
    { type: 'input', call: number, text: text.slice(0, 6) },
    { type: 'input', call: number, text: text.slice(6) },
  ];
}

function thought(text: string): Piece[] {
  return [
    { type: 'reasoning', text },
    { type: 'reasoning', text: ' – “so”, 🙂 > ? ~\n' },
    { type: 'signature', value: '' },
  ];
}

const says: Piece = { type: 'text', text: 'Let me look.' };
const veiled: Piece = { type: 'redacted', data: '' };

/** The scripts by what is odd about them. */
export const scripts: Readonly<Record<string, Script>> = {
  'a thought and a call': [[...thought('First'), ...call(0)]],
  'words between a thought and its call': [[...thought('First'), says, ...call(0)]],
  'two calls at once': [[...thought('First'), ...call(0), ...call(1)]],
  'a thought for each of two calls': [[...thought('First'), ...call(0), ...thought('Second'), ...call(1)]],
  'two thoughts with words between them': [[...thought('First'), says, ...thought('Second'), ...call(0)]],
  'a thought without words': [[{ type: 'reasoning', text: '' }, { type: 'signature', value: '' }, ...call(0)]],
  'a call without a thought': [call(0)],
  'three steps, each with its thought': [
    [...thought('First'), ...call(0)],
    [...thought('Second'), says, ...call(1), ...call(2)],
    [...thought('Third'), ...call(3)],
  ],
};

/** Thinking that nobody may read, of the providers that have it. */
export const hidden: Script = [[...thought('First'), veiled, ...call(0)]];

/** What goes on after the first step, whoever made that. */
export const long: Script = [
  [...thought('First'), ...call(0), ...call(1)],
  [...thought('Second'), ...call(2)],
];
