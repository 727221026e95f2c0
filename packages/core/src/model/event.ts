/** The canonical stream: thirteen events that every decoder produces and every encoder consumes. */
import type { CanonicalError } from './error.ts';
import type { FinishDetails, FinishReason } from './finish.ts';
import type { Usage } from './usage.ts';

/** The protocols that Streamglot knows by name. */
export type DialectId = 'chat' | 'responses' | 'messages' | 'gemini' | 'interactions';

/** The upstream frame behind an event: one object per frame, shared by all its events. */
export interface Native {
  dialect: DialectId;
  /** The frame's event name, if it had one. */
  name?: string | undefined;
  /** The parsed payload. A decoder may mend it in place; then `text` is absent. */
  data?: unknown;
  /** The payload exactly as it came, while it needs no repair. */
  text?: string | undefined;
  /** Set by the encoder once the frame went out. */
  relayed?: boolean;
  /** A whole answer as its upstream wrote it, in place of a frame; a decoder may have mended it. */
  whole?: unknown;
}

interface Base {
  native?: Native | undefined;
  /** Additions under a namespace, such as `x-gateway`. */
  ext?: Readonly<Record<string, unknown>>;
}

/** The first event of a stream, sent once. */
export interface ResponseStart extends Base {
  type: 'response-start';
  id?: string;
  model?: string;
  /** Seconds since the epoch. */
  createdAt?: number;
  role?: 'assistant';
  serviceTier?: string;
  /** Usage known before any output, from dialects that send it up front. */
  usage?: Usage;
}

/** Progress of the response or of one block. */
export interface Status extends Base {
  type: 'status';
  status: string;
  block?: number;
  usage?: Usage;
}

/** A block opens. Numbers count from 0 in order of appearance over the whole stream. */
export interface BlockStart extends Base {
  type: 'block-start';
  block: number;
  /** The candidate it belongs to; 0 in dialects that have one. */
  choice: number;
  kind: BlockKind;
  item?: ItemRef;
  toolCall?: ToolCallStart;
  toolResult?: { callId: string; name?: string; isError?: boolean };
  media?: { mimeType?: string; uri?: string; width?: number; height?: number; sampleRate?: number };
  reasoning?: { redacted?: string; encrypted?: string };
}

/** A piece of a block. */
export interface BlockDelta extends Base {
  type: 'block-delta';
  block: number;
  delta: Delta;
}

/** A block is over. */
export interface BlockEnd extends Base {
  type: 'block-end';
  block: number;
  status?: 'completed' | 'incomplete' | 'failed';
  final?: BlockFinal;
}

/** What an upstream repeats, or only says, at the end of a block. */
export interface BlockFinal {
  text?: string;
  /** The whole argument text of a tool call; wins over the deltas where they differ. */
  input?: string;
  /** The block or item as the upstream's dialect has it. */
  item?: unknown;
}

/** Usage so far; each one replaces the one before. */
export interface UsageEvent extends Base {
  type: 'usage';
  usage: Usage;
  final: boolean;
  scope?: 'response' | 'block';
}

/** One choice is over, after all its blocks. */
export interface Finish extends Base {
  type: 'finish';
  choice: number;
  reason: FinishReason;
  /** The upstream's own word; absent where the decoder corrected it. */
  nativeReason?: string;
  stopSequence?: string;
  details?: FinishDetails;
}

/** The last event of a stream that ended well. */
export interface ResponseEnd extends Base {
  type: 'response-end';
  status: 'completed' | 'incomplete' | 'failed' | 'cancelled';
}

/** The last event of a stream that did not; stands in place of `response-end`. */
export interface ErrorEvent extends Base {
  type: 'error';
  error: CanonicalError;
  retryable?: boolean;
}

/** Something beside the content, kept under a key. */
export interface Metadata extends Base {
  type: 'metadata';
  key: string;
  value: unknown;
  block?: number;
  choice?: number;
}

/** The upstream is alive. */
export interface Ping extends Base {
  type: 'ping';
}

/** A frame that no rule knows, or one that says nothing new. */
export interface Raw extends Base {
  type: 'raw';
  name?: string;
  data: unknown;
}

/** What was repaired or left out; seen by observers, never written to a client. */
export interface Warning extends Base {
  type: 'warning';
  code: WarningCode;
  message: string;
  block?: number;
}

/** Every warning there is. Where a dialect says itself when a call ends, `tool_arguments_invalid` is told from the outermost characters alone. */
export type WarningCode =
  | 'finish_corrected'
  | 'finish_missing'
  | 'finish_unknown'
  | 'tool_call_repaired'
  | 'tool_arguments_mismatch'
  | 'tool_arguments_invalid'
  | 'block_not_closed'
  | 'block_reused'
  | 'duplicate_start'
  | 'usage_inconsistent'
  | 'content_dropped'
  | 'frame_ignored'
  | 'id_repeated';

/** One event of the canonical stream. Consumers ignore types they do not know. */
export type CanonicalEvent =
  | ResponseStart
  | Status
  | BlockStart
  | BlockDelta
  | BlockEnd
  | UsageEvent
  | Finish
  | ResponseEnd
  | ErrorEvent
  | Metadata
  | Ping
  | Raw
  | Warning;

/** All events of one upstream frame: the unit between decoder and encoder. */
export type FrameEvents = readonly CanonicalEvent[];

/** What a block holds. */
export type BlockKind =
  | 'text'
  | 'refusal'
  | 'reasoning'
  | 'tool_call'
  | 'tool_result'
  | 'image'
  | 'audio'
  | 'video'
  | 'document'
  | 'transcript'
  | 'item';

/** Where the upstream had the block, kept for round trips. */
export interface ItemRef {
  id?: string;
  index?: number;
  type?: string;
  part?: number;
  phase?: string;
}

/** What is known of a tool call when it opens. */
export interface ToolCallStart {
  id: string;
  name: string;
  /** Whether the input is JSON or free text. */
  format: 'json' | 'text';
  /** Who runs it: the client, or the provider itself. */
  executor: 'client' | 'server';
  /** `function`, `custom`, or the provider's tool kind such as `web_search`. */
  kind: string;
  serverName?: string;
  itemId?: string;
  /** Opaque reasoning that led to the call, as a client of another dialect can carry it. */
  signature?: string;
}

/** The nine kinds of piece. */
export type Delta =
  | { type: 'text'; text: string; logprobs?: readonly TokenLogprob[] }
  | { type: 'reasoning'; text: string; form: 'raw' | 'summary'; part?: number; boundary?: 'start' | 'end' }
  | { type: 'signature'; value: string; mode: 'set' | 'append' }
  | { type: 'input'; text: string; part?: number }
  | { type: 'input_patch'; path: string; value?: unknown; append?: boolean }
  | { type: 'output'; text?: string; value?: unknown; part?: number }
  | { type: 'data'; base64: string; mimeType?: string; partial?: boolean; index?: number }
  | { type: 'transcript'; text: string }
  | { type: 'citation'; citation: Citation };

/** Probability of one token and of its alternatives. */
export interface TokenLogprob {
  token: string;
  logprob: number;
  bytes?: readonly number[] | null;
  top?: readonly TokenLogprob[];
}

/** A source of what was said. */
export interface Citation {
  kind: 'url' | 'file' | 'document' | 'place' | 'search_result';
  url?: string;
  title?: string;
  fileId?: string;
  filename?: string;
  start?: number;
  end?: number;
  unit?: 'utf16' | 'codepoint' | 'utf8' | 'page' | 'block';
  citedText?: string;
  /** A provider's own token that must come back unchanged. */
  opaque?: string;
  /** The citation as the upstream's dialect has it. */
  native?: unknown;
}

/** Frees a frame of its original, so that the encoder writes its events anew; for stages that edit events. */
export function rewrite(native: Native | undefined): void {
  if (native === undefined) return;
  native.text = undefined;
  native.data = undefined;
  if ('whole' in native) native.whole = undefined;
}
