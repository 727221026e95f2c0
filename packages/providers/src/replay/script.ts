/** A scripted answer: what is said, as data for a player. */
import type { CanonicalError, FinishReason } from '@streamglot/core';

/** One answer. Its parts come in the order of the fields. */
export interface Script {
  reasoning?: string;
  text?: string;
  refusal?: string;
  toolCalls?: readonly ScriptedCall[];
  /** The pieces of the calls' inputs take turns, as some upstreams send parallel calls. */
  interleaved?: boolean;
  /** Why it ends; told by its parts unless given. */
  finish?: FinishReason;
  /** The end of text that a stop string made, as if the upstream had met it. */
  stopSequence?: string;
  /** Ends the answer; one that says nothing is refused before it begins. */
  error?: CanonicalError;
  /** Pieces after which the answer breaks off without an ending of its own. */
  cutAfter?: number;
  /** Milliseconds between two pieces; the provider's own unless given. */
  delayMs?: number;
}

/** One call of a tool. */
export interface ScriptedCall {
  name: string;
  /** Arguments of a function, or the free text of a custom tool. */
  input: Readonly<Record<string, unknown>> | string;
  /** Made from the request unless given. */
  id?: string;
}

/** The input of a call as it is streamed. */
export function inputOf({ input }: ScriptedCall): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

/** Why a script ends. */
export function finishOf({ finish, refusal, toolCalls }: Script): FinishReason {
  if (finish !== undefined) return finish;
  if (toolCalls !== undefined && toolCalls.length > 0) return 'tool_calls';
  return refusal === undefined ? 'stop' : 'refusal';
}

/** Whether a script says anything. */
export function isSilent({ reasoning, text, refusal, toolCalls }: Script): boolean {
  return reasoning === undefined && text === undefined && refusal === undefined && toolCalls === undefined;
}
