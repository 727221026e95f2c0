/** How much one stream may hold, so that no peer can make it grow without end. */

/** Limits of one stream; reaching one ends it with an error of type `too_large`. */
export interface Limits {
  /** Characters of one event of an upstream; 16 MiB unless told. */
  maxFrameBytes: number;
  /** Parts of one answer; 4,096 unless told. */
  maxBlocks: number;
  /** Nesting of one JSON payload; 256 unless told. */
  maxDepth: number;
  /** Characters that an ending has to repeat; 32 MiB unless told. */
  maxAccumulatedBytes: number;
  /** Characters of parts that wait for their turn; 4 MiB unless told. */
  maxQueuedBytes: number;
}

/** Warnings of one stream that are kept for its report; a stream that needs more repair than that says nothing new. */
export const mostWarnings: number = 100;

/** The limits that hold unless told otherwise. */
export const defaultLimits: Limits = {
  maxFrameBytes: 16 * 1024 * 1024,
  maxBlocks: 4096,
  maxDepth: 256,
  maxAccumulatedBytes: 32 * 1024 * 1024,
  maxQueuedBytes: 4 * 1024 * 1024,
};
