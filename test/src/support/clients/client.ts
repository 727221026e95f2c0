/** What every official client is asked and what it is seen to have understood, in one form for all of them. */
import type { Stop } from '../scenes.ts';

/** A question to a client. */
export interface Ask {
  /** The root that its SDK is pointed at, without the API's version. */
  base: string;
  model: string;
  prompt: string;
  /** Offers the one tool. */
  tools?: boolean;
  /** Offers the tool with free-form input. */
  custom?: boolean;
  /** Lets the client run the tool and go on by itself. */
  loop?: boolean;
  /** Asks for reasoning where the dialect needs to be asked. */
  think?: boolean;
  stop?: readonly string[];
  /** Members of the request's body that are not as they should be; the raw clients send them as they are. */
  wrong?: Readonly<Record<string, unknown>>;
  signal?: AbortSignal;
  /** How its SDK reaches the host, where it is not by the global `fetch`. */
  fetch?: typeof fetch;
  /** Called at each piece of text. */
  onText?: () => void;
}

/** Tokens as a client counts them, made inclusive. */
export interface SeenUsage {
  input: number | undefined;
  output: number | undefined;
  cached?: number | undefined;
  reasoning?: number | undefined;
}

/** A tool call as a client understood it; one that it ran itself may have no id. */
export interface SeenCall {
  id?: string | undefined;
  name: string;
  input: unknown;
}

/** A failure as a client reports it. */
export interface SeenError {
  name: string;
  message: string;
  status?: number | undefined;
  /** The `retry-after` header, where the client shows it. */
  retryAfter?: string | undefined;
}

/** What a client understood. */
export interface Seen {
  text: string;
  reasoning: string;
  /** Opaque parts of reasoning that the client will send back. */
  signatures: string[];
  refusal: string;
  /** Addresses of sources. */
  citations: string[];
  calls: SeenCall[];
  /** The client's own word. */
  finish?: string | null | undefined;
  stopSequence?: string | null | undefined;
  usage?: SeenUsage | undefined;
  model?: string | undefined;
  error?: SeenError;
}

/** One way of one SDK to read a stream. */
export interface Client {
  readonly name: string;
  /** The dialect that it speaks. */
  readonly dialect: string;
  /** Its vocabulary of finish reasons and its habits are those of this family. */
  readonly family: Family;
  /** `always`: it runs every tool call itself; `never`: it leaves that to its user. */
  readonly loops: 'always' | 'asked' | 'never';
  /** It asks for its answers in one piece. */
  readonly whole?: true;
  /** The errors that it throws at answers which ended otherwise than with a stop, by how they ended. */
  readonly throws?: Readonly<Partial<Record<Stop, string>>>;
  /** It does not show which model answered. */
  readonly namesNoModel?: true;
  /** It reads on over an error in the midst of a stream: only what it cannot parse stops it. */
  readonly skipsErrors?: true;
  /** Its history has no ids of calls: results follow their calls in order. */
  readonly forgetsIds?: true;
  /** It can offer tools with free-form input. */
  readonly custom?: true;
  /** Asks, and reads to the end. Never throws: a failure is part of what was seen. */
  run(ask: Ask): Promise<Seen>;
}

/** Clients that name things alike. */
export type Family = 'openai' | 'responses' | 'anthropic' | 'vercel' | 'agents' | 'google' | 'interactions';

/** Reads one answer into `seen`; throws what its SDK throws. */
export type Reading = (ask: Ask, seen: Seen) => Promise<void>;

/** A client from the way it reads. */
export function client(of: Omit<Client, 'run'>, read: Reading): Client {
  return { ...of, run: (ask) => observe(ask, read) };
}

async function observe(ask: Ask, read: Reading): Promise<Seen> {
  const seen: Seen = { text: '', reasoning: '', signatures: [], refusal: '', citations: [], calls: [] };
  try {
    await read(ask, seen);
  } catch (thrown) {
    seen.error = errorOf(thrown);
  }
  return seen;
}

/** What SDKs put on their errors. */
interface ThrownLike {
  message?: unknown;
  status?: unknown;
  statusCode?: unknown;
  headers?: Headers | Record<string, string>;
  responseHeaders?: Record<string, string>;
}

function errorOf(thrown: unknown): SeenError {
  const { message, status, statusCode, headers, responseHeaders } = thrown as ThrownLike;
  const code = status ?? statusCode;
  const retryAfter =
    headers instanceof Headers ? headers.get('retry-after') : (headers ?? responseHeaders)?.['retry-after'];
  return {
    name: thrown instanceof Error ? thrown.constructor.name : typeof thrown,
    message: String(message ?? thrown),
    ...(typeof code === 'number' && { status: code }),
    ...(typeof retryAfter === 'string' && { retryAfter }),
  };
}

/** Notes a piece of text. */
export function heard(text: string, ask: Ask, seen: Seen): void {
  if (text === '') return;
  seen.text += text;
  ask.onText?.();
}

/** A call's input; the text itself where it is not whole, for a raw stream leaves that to its user. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** What the tool answers. */
export function weatherIn(input: unknown): string {
  return `18 degrees in ${(input as { city: string }).city}`;
}

/** What the tool with free-form input is for. */
export const CUSTOM_DESCRIPTION = 'Runs a piece of code';

/** The tool's description for a model. */
export const DESCRIPTION = 'Current weather for a city';

/** The tool's input. */
export const INPUT = {
  type: 'object' as const,
  properties: {
    city: { type: 'string' as const },
    unit: { type: 'string' as const, enum: ['celsius', 'fahrenheit'] },
  },
  required: ['city', 'unit'],
  additionalProperties: false,
};
