/** What is said of a stream: its habit, and what it must be read as. */
import type { KnownDialect } from '@streamglot/core';

/** What a client must be told. */
export interface Says {
  text?: string;
  reasoning?: string;
  /** Names and inputs of calls. */
  calls?: readonly (readonly [name: string, input: unknown])[];
  end?: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error';
  /** Part of the message of the error that ends it. */
  error?: string;
  tokens?: readonly [input: number, output: number];
}

/** A stream with a habit. */
export interface Sibling {
  readonly from: KnownDialect;
  readonly name: string;
  readonly stream: string;
  readonly says: Says;
}
