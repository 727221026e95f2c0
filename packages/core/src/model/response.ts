/** A whole answer: what a stream adds up to. */
import type { CanonicalError } from './error.ts';
import type { BlockFinal, BlockStart, Citation, DialectId, TokenLogprob } from './event.ts';
import type { FinishDetails, FinishReason } from './finish.ts';
import type { Usage } from './usage.ts';

/** One response, collected. */
export interface CanonicalResponse {
  /** The dialect that it came in; what is bound to a provider goes back to no other. */
  dialect?: DialectId;
  id?: string;
  model?: string;
  createdAt?: number;
  serviceTier?: string;
  choices: readonly Choice[];
  usage?: Usage;
  status: 'completed' | 'incomplete' | 'failed' | 'cancelled';
  error?: CanonicalError;
  /** The answer as its upstream wrote it, where it came whole and nothing of it was edited; for clients of its own dialect. */
  original?: unknown;
  metadata: readonly { key: string; value: unknown; block?: number; choice?: number }[];
}

/** One candidate of a response. */
export interface Choice {
  blocks: readonly Block[];
  reason?: FinishReason;
  nativeReason?: string;
  stopSequence?: string;
  details?: FinishDetails;
}

/** One block with all that its deltas said. */
export interface Block extends Omit<BlockStart, 'type' | 'native' | 'ext'> {
  /** Text, refusal, reasoning, transcript, or the output of a tool. */
  text: string;
  /** Argument text of a tool call. */
  input: string;
  signature?: string;
  citations: readonly Citation[];
  logprobs: readonly TokenLogprob[];
  /** Output values of a tool result, and what a provider's own blocks carry. */
  outputs: readonly unknown[];
  data: readonly { base64: string; mimeType?: string; partial?: boolean; index?: number }[];
  status?: 'completed' | 'incomplete' | 'failed';
  final?: BlockFinal;
}
