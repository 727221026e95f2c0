/** Interactions without an end. */
import { type Flood, kilobyte } from './flood.ts';

function step(type: string, more: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ event_type: type, ...more })}\n\n`;
}

const interaction = { id: 'i', status: 'in_progress', object: 'interaction', model: 'm' };
const interactionBegun = step('interaction.created', { interaction });
const stepStart = (index: number, type: string, more: object = {}) =>
  step('step.start', { index, step: { type, ...more } });
const stepDelta = (index: number, delta: object) => step('step.delta', { index, delta });

/** Each thing that a stream of steps makes somebody keep. */
export const interactions: readonly Flood[] = [
  {
    name: 'text',
    head: interactionBegun + stepStart(0, 'model_output'),
    piece: () => stepDelta(0, { type: 'text', text: kilobyte }),
    kept: ['responses'],
  },
  { name: 'unknown events', head: interactionBegun, piece: (n) => step('novelty', { n, kilobyte }) },
  { name: 'starts', head: interactionBegun, piece: () => interactionBegun.repeat(5) },
  {
    name: 'statuses with usage',
    head: interactionBegun,
    piece: (n) => step('interaction.status_update', { status: 'in_progress', usage: { total_input_tokens: n } }),
  },
  {
    name: 'blocks',
    head: interactionBegun,
    piece: (n) => stepStart(n, 'thought', { signature: 's' }),
    code: 'too_many_blocks',
  },
  {
    name: 'steps that say nothing',
    head: interactionBegun,
    piece: (n) => stepStart(n, 'model_output'),
    code: 'too_many_blocks',
  },
  {
    name: 'steps of one index',
    head: interactionBegun,
    piece: () => stepStart(0, 'thought', { signature: 's' }),
    code: 'too_many_blocks',
  },
  {
    name: 'deltas of steps that were not begun',
    head: interactionBegun,
    piece: (n) => stepDelta(n, { type: 'text', text: 'a' }),
    code: 'too_many_blocks',
  },
  {
    name: 'arguments',
    head: interactionBegun + stepStart(0, 'function_call', { id: 'f', name: 'f' }),
    piece: () => stepDelta(0, { type: 'arguments_delta', arguments: kilobyte }),
    kept: ['responses', 'gemini'],
  },
  {
    name: 'arguments of calls that were not begun',
    head: interactionBegun,
    piece: (n) => stepDelta(n, { type: 'arguments_delta', arguments: kilobyte }),
  },
  {
    name: 'pictures and texts by turns',
    head: interactionBegun + stepStart(0, 'model_output'),
    piece: (n) => stepDelta(0, n % 2 ? { type: 'text', text: 'a' } : { type: 'image', data: 'YQ==' }).repeat(9),
    code: 'too_many_blocks',
  },
  {
    name: 'sources',
    head: interactionBegun + stepStart(0, 'model_output') + stepDelta(0, { type: 'text', text: 'a' }),
    piece: (n) =>
      stepDelta(0, {
        type: 'text_annotation_delta',
        annotations: [{ type: 'url_citation', url: `http://a/${n}`, title: kilobyte, start_index: 0, end_index: 1 }],
      }),
    code: 'answer_too_large',
  },
];
