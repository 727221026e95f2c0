/** Why a choice ended, in one vocabulary, and how a whole stream ended. */

/** Why one choice ended. Each dialect maps its own words to and from these (its `terms.ts`). */
export type FinishReason =
  | 'stop'
  | 'length'
  | 'tool_calls'
  | 'content_filter'
  | 'refusal'
  | 'pause'
  | 'context_overflow'
  | 'compaction'
  | 'continue'
  | 'cancelled'
  | 'error'
  | 'other';

/** What an upstream adds to a finish. */
export interface FinishDetails {
  category?: string;
  message?: string;
  blocked?: 'prompt' | 'output';
  continuationToken?: string;
}

/** How a stream ended, for logs and routing. Only `completed` is a success. */
export type Ending =
  | 'completed'
  | 'error'
  | 'truncated'
  | 'stalled'
  | 'deadline'
  | 'client-closed'
  | 'shutdown'
  | 'internal';
