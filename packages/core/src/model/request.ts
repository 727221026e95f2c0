/** The canonical request: what a client asked, whatever dialect it asked in. */
import type { DialectId } from './event.ts';

/** One request for one response. Absent fields were not asked for. */
export interface CanonicalRequest {
  /** The upstream's name of the model; the client's own name is in the context. */
  model: string;
  /** Instructions before and beside the turns, in order. */
  system: readonly SystemText[];
  turns: readonly Turn[];
  tools: readonly Tool[];
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  output?: OutputFormat;
  reasoning?: ReasoningRequest;
  maxOutputTokens?: number;
  stop?: readonly string[];
  sampling?: Sampling;
  /** Number of candidates. */
  choices?: number;
  logprobs?: { top?: number };
  verbosity?: string;
  /** Output kinds beside text, and the settings of each. */
  modalities?: readonly string[];
  audio?: Readonly<Record<string, unknown>>;
  prediction?: unknown;
  metadata?: Readonly<Record<string, unknown>>;
  /** A stable name of the end user, for abuse detection. */
  userId?: string;
  cacheKey?: string;
  cacheControl?: CacheControl;
  serviceTier?: string;
  store?: boolean;
  /** What the request names instead of saying it. A gateway that keeps answers puts it in; all else refuses it. */
  refers?: References;
  /** The request as the client's dialect has it: sent on, with what it says unknown to us, to an upstream of the same dialect. */
  native?: { dialect: DialectId; body: Readonly<Record<string, unknown>> };
  /** Where the client's request has each of these members, by name (`sampling.topK`), for those named otherwise there. */
  fields?: Readonly<Record<string, string>>;
  /** Fields of the client's request that only its own dialect understands. */
  untranslated?: readonly { field: string; severity: Loss['severity'] }[];
}

/** Where the client's request has a thing, such as `messages[2].content[0]`; losses name it. */
interface Located {
  at?: string;
}

/** Things that an earlier request left with whoever answered it. */
export interface References {
  /** The response that this one goes on from. */
  previousResponseId?: string;
  conversation?: string;
  /** Single items among the turns; each stands there as a native part too. */
  items: readonly { id: string; at: string }[];
}

/** How tokens are drawn. */
export interface Sampling {
  temperature?: number;
  topP?: number;
  topK?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  seed?: number;
  logitBias?: Readonly<Record<string, number>>;
}

/** How the model is asked to think. */
export interface ReasoningRequest {
  effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  /** Tokens that thinking may use. */
  budgetTokens?: number;
  /** The model decides how long it thinks. */
  adaptive?: boolean;
  /** Whether the client wants to see thinking, and how. */
  summary?: 'none' | 'auto' | 'concise' | 'detailed';
}

/** The form that the answer's text must have. */
export type OutputFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema';
      name?: string;
      description?: string;
      schema: Readonly<Record<string, unknown>>;
      strict?: boolean | null;
    };

/** A prompt-cache breakpoint. */
export interface CacheControl {
  type: 'ephemeral';
  ttl?: '5m' | '1h';
}

/** An instruction; `developer` is OpenAI's newer word for it. `before` is the turn it stands in front of, absent at the top. */
export interface SystemText extends Located {
  role: 'system' | 'developer';
  text: string;
  cacheControl?: CacheControl;
  /** Index of the turn that it precedes; 0 or absent for the usual place at the top. */
  before?: number;
}

/** What one side said, until the other side speaks. Tool results are a user's parts. */
export interface Turn extends Located {
  role: 'user' | 'assistant';
  name?: string;
  parts: readonly Part[];
}

/** One piece of a turn. */
export type Part =
  | TextPart
  | RefusalPart
  | ImagePart
  | AudioPart
  | DocumentPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | NativePart;

interface PartBase extends Located {
  cacheControl?: CacheControl;
}

/** Text of either side. */
export interface TextPart extends PartBase {
  type: 'text';
  text: string;
  citations?: readonly unknown[];
  signature?: string;
}

/** A refusal that the assistant gave earlier. */
export interface RefusalPart extends PartBase {
  type: 'refusal';
  text: string;
}

/** Where the bytes of a medium are. */
export type MediaSource =
  | { type: 'url'; url: string }
  | { type: 'base64'; data: string; mimeType: string }
  | { type: 'file'; fileId: string }
  | { type: 'text'; text: string; mimeType?: string };

/** A picture. */
export interface ImagePart extends PartBase {
  type: 'image';
  source: MediaSource;
  detail?: string;
}

/** Sound as input. */
export interface AudioPart extends PartBase {
  type: 'audio';
  source: MediaSource;
  format?: string;
}

/** A document such as a PDF. */
export interface DocumentPart extends PartBase {
  type: 'document';
  source: MediaSource;
  filename?: string;
  title?: string;
  context?: string;
  citations?: boolean;
}

/** Thinking of an earlier turn; the opaque members are bound to the provider that made them. */
export interface ReasoningPart extends PartBase {
  type: 'reasoning';
  text?: string;
  summary?: readonly string[];
  signature?: string;
  redacted?: string;
  encrypted?: string;
  /** Whether its provider wants it back as it is, though nothing on it is opaque. */
  replay?: boolean;
  /** The id under which its provider knows it. */
  id?: string;
}

/** A call that the assistant made earlier. */
export interface ToolCallPart extends PartBase {
  type: 'tool_call';
  id: string;
  name: string;
  kind: 'function' | 'custom';
  /** JSON text for a function, free text for a custom tool. */
  input: string;
  signature?: string;
}

/** What a tool gave back. */
export interface ToolResultPart extends PartBase {
  type: 'tool_result';
  callId: string;
  name?: string;
  content: readonly (TextPart | ImagePart | DocumentPart)[];
  isError?: boolean;
}

/** A part that only its own dialect understands. */
export interface NativePart extends PartBase {
  type: 'native';
  dialect: DialectId;
  name: string;
  value: unknown;
}

/** A tool that the model may call. */
export type Tool = FunctionTool | CustomTool | HostedTool;

/** A tool with JSON arguments. */
export interface FunctionTool extends Located {
  type: 'function';
  name: string;
  description?: string;
  /** JSON Schema of the arguments. */
  parameters?: Readonly<Record<string, unknown>>;
  strict?: boolean | null;
  cacheControl?: CacheControl;
  eagerInput?: boolean;
}

/** A tool with free-form input, perhaps under a grammar. */
export interface CustomTool extends Located {
  type: 'custom';
  name: string;
  description?: string;
  format?: unknown;
}

/** A tool that the provider runs itself, as its dialect has it. */
export interface HostedTool extends Located {
  type: 'hosted';
  dialect: DialectId;
  name: string;
  value: Readonly<Record<string, unknown>>;
}

/** Which tools the model may or must call. */
export type ToolChoice =
  | { type: 'auto' }
  | { type: 'none' }
  | { type: 'required' }
  | { type: 'tool'; name: string; kind?: 'function' | 'custom' }
  | { type: 'allowed'; mode: 'auto' | 'required'; names: readonly string[] };

/** Something asked for that the target cannot express. */
export interface Loss {
  /** Path of the field in the client's request or, for streams, of the thing in the answer. */
  field: string;
  /** The dialect that lacks it. */
  dialect: DialectId;
  reason: string;
  /** `severe` would change what the answer means; it is rejected unless policy says otherwise. */
  severity: 'minor' | 'severe';
}

/** What a policy does about losses: go on and tell observers, go on quietly, or answer 400 where one is severe. */
export type LossPolicy = 'warn' | 'drop' | 'reject';
