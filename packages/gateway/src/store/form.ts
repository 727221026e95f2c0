/** What the store must know of a dialect whose requests name earlier answers. */
import type { DialectId } from '@streamglot/core';
import { itemsOf, outputItems, type Said, sent } from './input.ts';
import { answeredSteps, sentStep, stepsOf } from './steps.ts';
import type { JsonObject, KeptItem } from './store.ts';

/** How a dialect has answers that are kept. */
export interface Form {
  /** What an answer says that it is, in its `object`. */
  readonly object: 'response' | 'interaction';
  /** The member of a request that names the answer before it. */
  readonly previous: 'previous_response_id' | 'previous_interaction_id';
  /** The member of an answer that holds what the model said. */
  readonly output: 'output' | 'steps';
  /** What a body's `input` holds. */
  said(input: unknown): readonly Said[];
  /** What of an answer can be sent again; `origin` is the provider that made it, where that speaks the dialect too. */
  answered(answer: JsonObject, origin: string | undefined): readonly KeptItem[];
  /** What of a kept item a provider can be told, if anything. */
  sent(item: KeptItem, provider: string): JsonObject | undefined;
}

/** The form of each dialect that has one. */
export const forms: Readonly<Partial<Record<DialectId, Form>>> = {
  responses: {
    object: 'response',
    previous: 'previous_response_id',
    output: 'output',
    said: (input) => itemsOf(input).map((value, index) => ({ value, at: `input[${index}]` })),
    answered: ({ output }, origin) => outputItems(output, origin),
    sent,
  },
  interactions: {
    object: 'interaction',
    previous: 'previous_interaction_id',
    output: 'steps',
    said: stepsOf,
    answered: answeredSteps,
    sent: sentStep,
  },
};
