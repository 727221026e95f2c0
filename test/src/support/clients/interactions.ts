/** Google's official SDK over Interactions: its stream of events and its whole answer, with its user running the tool. */
import type { GoogleGenAIRequestOptions, Interactions } from '@google/genai';
import { TOOL } from '../scenes.ts';
import { type Ask, type Client, client, DESCRIPTION, heard, INPUT, parsed, type Seen, weatherIn } from './client.ts';
import { sdk } from './google.ts';

const family = { dialect: 'interactions', family: 'interactions', loops: 'asked' } as const;

type Step = Interactions.Step;
type Event = Interactions.InteractionSSEEvent;

/** Nothing is left with the server: each turn says all that was said before. */
function params(ask: Ask, input: Step[]): Interactions.CreateModelInteractionParamsNonStreaming & { stream?: false } {
  const { model, tools, think, stop, wrong } = ask;
  return {
    model,
    input,
    store: false,
    ...(tools && { tools: [{ type: 'function', name: TOOL, description: DESCRIPTION, parameters: INPUT }] }),
    generation_config: {
      ...(think && { thinking_level: 'low', thinking_summaries: 'auto' }),
      ...(stop && { stop_sequences: [...stop] }),
    },
    ...wrong,
  };
}

function options({ signal }: Ask): GoogleGenAIRequestOptions {
  return { retries: { strategy: 'none' }, ...(signal && { signal }) };
}

/** A step while its deltas come. */
interface Draft {
  step: Record<string, unknown> & { type: string };
  json: string;
}

/** Puts the steps of one stream together. */
class Steps {
  readonly #drafts = new Map<number, Draft>();

  take(event: Event): void {
    if (event.event_type === 'step.start')
      this.#drafts.set(event.index, { step: { ...(event.step as Draft['step']) }, json: '' });
    if (event.event_type !== 'step.delta') return;
    const draft = this.#drafts.get(event.index);
    if (draft !== undefined) add(draft, event.delta);
  }

  get steps(): Step[] {
    return [...this.#drafts.values()].map(({ step, json }) => {
      return (step.type === 'function_call' ? { ...step, arguments: json === '' ? {} : parsed(json) } : step) as Step;
    });
  }
}

function add(draft: Draft, delta: Interactions.StepDelta['delta']): void {
  const { step } = draft;
  if (delta.type === 'arguments_delta') draft.json += delta.arguments ?? '';
  if (delta.type === 'text') step.content = [...list(step.content), { type: 'text', text: delta.text }];
  if (delta.type === 'thought_summary' && delta.content) step.summary = [...list(step.summary), delta.content];
  if (delta.type === 'thought_signature') step.signature = delta.signature;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Notes what an event says while it comes; an error among the events is the failure that its reader has to see. */
function event(said: Event, ask: Ask, seen: Seen): void {
  switch (said.event_type) {
    case 'interaction.created':
      seen.model = said.interaction.model;
      return;
    case 'step.delta':
      return piece(said.delta, ask, seen);
    case 'interaction.completed':
      return ended(said.interaction, seen);
    case 'error':
      throw new Error(said.error?.message);
  }
}

function piece(delta: Interactions.StepDelta['delta'], ask: Ask, seen: Seen): void {
  if (delta.type === 'text') heard(delta.text, ask, seen);
  if (delta.type === 'thought_signature') seen.signatures.push(delta.signature ?? '');
  if (delta.type === 'thought_summary' && delta.content?.type === 'text') seen.reasoning += delta.content.text;
  if (delta.type === 'text_annotation_delta') cite(delta.annotations, seen);
}

function cite(annotations: readonly Interactions.Annotation[] | undefined, seen: Seen): void {
  for (const annotation of annotations ?? [])
    if (annotation.type === 'url_citation') seen.citations.push(annotation.url ?? '');
}

function ended({ status, usage }: Pick<Interactions.Interaction, 'status' | 'usage'>, seen: Seen): void {
  seen.finish = status;
  if (usage === undefined) return;
  const reasoning = usage.total_thought_tokens ?? 0;
  seen.usage = {
    input: (usage.total_input_tokens ?? 0) + (usage.total_tool_use_tokens ?? 0),
    output: (usage.total_output_tokens ?? 0) + reasoning,
    cached: usage.total_cached_tokens ?? 0,
    reasoning,
  };
}

/** Notes what a whole step says. */
function stepSeen(step: Step, ask: Ask, seen: Seen): void {
  if (step.type === 'thought') {
    for (const content of step.summary ?? []) if (content.type === 'text') seen.reasoning += content.text;
    if (step.signature) seen.signatures.push(step.signature);
  }
  if (step.type !== 'model_output') return;
  for (const content of step.content ?? [])
    if (content.type === 'text') {
      heard(content.text, ask, seen);
      cite(content.annotations, seen);
    }
}

type Turn = (ask: Ask, input: Step[], seen: Seen) => Promise<readonly Step[]>;

/** Asks until no tool is called, where the tool is to be run. */
async function converse(turn: Turn, ask: Ask, seen: Seen): Promise<void> {
  const input: Step[] = [{ type: 'user_input', content: [{ type: 'text', text: ask.prompt }] }];
  for (;;) {
    const steps = await turn(ask, input, seen);
    const calls = steps.filter((step) => step.type === 'function_call');
    for (const call of calls) seen.calls.push({ id: call.id, name: call.name, input: call.arguments });
    if (calls.length === 0 || ask.loop !== true) return;
    const results = calls.map(({ id, name, arguments: args }): Step => {
      return { type: 'function_result', call_id: id, name, result: weatherIn(args) };
    });
    input.push(...steps, ...results);
  }
}

const raw = client({ name: 'genai interactions', ...family }, (ask, seen) =>
  converse(
    async (ask, input) => {
      const steps = new Steps();
      const stream = await sdk(ask).interactions.create({ ...params(ask, input), stream: true }, options(ask));
      for await (const said of stream) {
        event(said, ask, seen);
        steps.take(said);
      }
      return steps.steps;
    },
    ask,
    seen,
  ),
);

const whole = client({ name: 'genai interactions, whole', ...family, whole: true }, (ask, seen) =>
  converse(
    async (ask, input) => {
      const interaction = await sdk(ask).interactions.create(params(ask, input), options(ask));
      seen.model = interaction.model;
      ended(interaction, seen);
      for (const step of interaction.steps ?? []) stepSeen(step, ask, seen);
      return interaction.steps ?? [];
    },
    ask,
    seen,
  ),
);

/** The ways of Google's SDK to read Interactions. */
export const interactions: readonly Client[] = [raw, whole];
