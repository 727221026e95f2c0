/** What a request leaves behind for its answer: plain data, since core has no clock and no randomness of its own. */
import type { DialectId } from './event.ts';

/** Made by the client dialect's `decodeRequest`; encoders read it, none of them sees the request. */
export interface RequestContext {
  /** The client's dialect. */
  dialect: DialectId;
  /** The model name that the client asked for; answers carry it. */
  model?: string;
  /** Whether the client asked for a stream. */
  stream: boolean;
  /** Whether the client asked for OpenAI's usage chunk. */
  includeUsage?: boolean;
  /** How the answer is framed; a whole answer as `sse` is one event. */
  framing?: 'sse' | 'json-array';
  /** Request fields that the answer must repeat. */
  echo?: Readonly<Record<string, unknown>>;
  /** Names of the tools with free-form input that the client has itself; where its dialect has none, or it named none, input goes out as JSON. */
  customTools?: readonly string[];
  /** Whether reasoning is shown to the client; absent means shown. */
  showReasoning?: boolean;
  /** Where the client sends opaque reasoning back: in its thoughts, or on the calls behind them. Absent: nowhere. */
  carries?: 'thoughts' | 'calls';
  /** Whether the client may be answered by several providers in its own dialect, so that what one of them made must be told apart. */
  seals?: boolean;
  /** Seconds since the epoch at which the request came in. */
  startedAt?: number;
  /** What invented ids are made from; unique in the conversation. */
  seed?: string;
}
