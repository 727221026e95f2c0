/** What the law of many turns must know of a dialect: how a client keeps a conversation, and what an upstream holds against one. */
import type { Piece, Scene } from '../support/scenes.ts';
import type { Wired } from './wired.ts';

/** One entry of a history, as the client's dialect has it. */
export type Entry = Wired;

/** A request as a client sends it. */
export interface Sent {
  path: string;
  query?: Record<string, string>;
  body: Wired;
}

/** A call that waits for its result. */
export interface Waiting {
  id: string;
  name: string;
}

/** A client that keeps its history itself. */
export interface Speaker {
  user(text: string): Entry[];
  ask(model: string, history: readonly Entry[], stream: boolean): Sent;
  /** The answer as the official SDK would keep it, from the text of a stream or a whole body. */
  keep(text: string, stream: boolean): readonly Entry[];
  /** The same, as clients keep it that drop members they do not know. */
  forget(entry: Entry): Entry;
  calls(kept: readonly Entry[]): Waiting[];
  results(calls: readonly Waiting[]): Entry[];
  said(kept: readonly Entry[]): string;
}

/** A provider that refuses what the real one refuses. */
export interface Strict {
  /** A model of it, one of another family, and one that a client may be switched to. */
  readonly models: readonly [string, string];
  readonly path: RegExp;
  write(scene: Scene, body: Wired): string;
  whole(scene: Scene, body: Wired): unknown;
  /** The pieces that it says to this request. */
  pieces(pieces: readonly Piece[], body: Wired): readonly Piece[];
  /** What the assistant said in each step of the history, mark by mark: what is opaque, and each call. */
  steps(body: Wired): string[][];
  /** The marks of an answer, as its SDK would send it back. */
  marks(whole: unknown): string[];
  /** How the first call of a step must look that a model did not make itself; as it is unless told. */
  foreign?(mark: string, model: string): string;
  /** What it holds against a request beside that. */
  complaint(body: Wired): string | undefined;
}

/** One dialect on both sides. */
export interface Row {
  readonly speaker: Speaker;
  readonly strict: Strict;
}

/** A mark of something that only its maker can read. */
export function opaque(...what: readonly unknown[]): string {
  return `opaque ${what.join(' | ')}`;
}

/** A mark of a call, with what is opaque on it. */
export function called(id: unknown, name: unknown, input: unknown, signature: unknown = ''): string {
  return `call ${id} | ${name} | ${JSON.stringify(input)} | ${signature}`;
}
