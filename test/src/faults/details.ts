/** What a client finds beside text and calls: identities, signatures, citations, probabilities. */
import { list, object, text, type Wired } from '../support/json.ts';
import { choicesOf, deltasOf, type Outcome, ofType } from './outcome.ts';

/** Where each of them is; nothing where the dialect has none. */
export const details = {
  /** Every model that is named. */
  models: ({ payloads }: Outcome): readonly string[] => namesIn(payloads, 'model'),
  /** Every id that the answer is given. */
  ids: ({ payloads }: Outcome): readonly string[] => namesIn(payloads, 'id'),
  stopSequence: (outcome: Outcome): unknown =>
    ofType(outcome, 'message_delta')
      .map(({ delta }) => object(delta))
      .findLast(({ stop_reason }) => stop_reason)?.stop_sequence,
  signatures: (outcome: Outcome): readonly string[] =>
    deltasOf(outcome).flatMap(({ type, signature }) => (signing.has(type) ? [text(signature)] : [])),
  media: ({ payloads }: Outcome): readonly unknown[] =>
    payloads.map(({ delta }) => object(delta)).flatMap(({ type, data }) => (type === 'image' ? [data] : [])),
  inlineData: ({ payloads }: Outcome): readonly unknown[] =>
    payloads
      .flatMap(({ candidates }) => list(candidates))
      .flatMap(({ content }) => list(object(content).parts))
      .flatMap(({ inlineData }) => (inlineData === undefined ? [] : [object(inlineData).data])),
  redacted: (outcome: Outcome): readonly unknown[] =>
    ofType(outcome, 'content_block_start')
      .map(({ content_block }) => object(content_block))
      .flatMap(({ type, data }) => (type === 'redacted_thinking' ? [data] : [])),
  encrypted: (outcome: Outcome): readonly string[] =>
    itemsDone(outcome).flatMap(({ encrypted_content }) => text(encrypted_content) || []),
  images: (outcome: Outcome): readonly unknown[] =>
    itemsDone(outcome).flatMap(({ type, result }) => (type === 'image_generation_call' ? [result] : [])),
  annotations: (outcome: Outcome): readonly Wired[] => [
    ...deltasOf(outcome)
      .flatMap(({ annotations }) => list(annotations))
      .map((annotation) => cited(object(annotation.url_citation ?? annotation))),
    ...ofType(outcome, 'response.output_text.annotation.added').map(({ annotation }) => cited(object(annotation))),
  ],
  /** Token and probability of each token of the text. */
  logprobs: (outcome: Outcome): readonly unknown[] =>
    choicesOf(outcome).flatMap(({ logprobs }) => pairsOf(object(logprobs).content)),
} as const;

/** The items of a Responses stream that are done, in the order of the answer. */
export function itemsDone(outcome: Outcome): readonly Wired[] {
  return [...ofType(outcome, 'response.output_item.done')]
    .sort((a, b) => Number(a.output_index) - Number(b.output_index))
    .map(({ item }) => object(item));
}

/** Token and probability of each entry of a list. */
export function pairsOf(logprobs: unknown): readonly unknown[] {
  return list(logprobs).map(({ token, logprob }) => [token, logprob]);
}

function cited({ url, title, start_index: start, end_index: end }: Wired): Wired {
  return { url, title, start, end };
}

/** Deltas that hold a signature. */
const signing: ReadonlySet<unknown> = new Set(['signature_delta', 'thought_signature']);

const inGemini = { id: 'responseId', model: 'modelVersion' } as const;

/** Chat names it in each chunk, the others in the message or response that an event holds. */
function namesIn(payloads: readonly Wired[], member: 'id' | 'model'): readonly string[] {
  return payloads
    .map(
      ({ message, response, interaction, ...chunk }) =>
        text(object(message ?? response ?? interaction ?? chunk)[member]) || text(chunk[inGemini[member]]),
    )
    .filter((name) => name !== '');
}
