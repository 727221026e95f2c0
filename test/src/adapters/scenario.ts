/** What a scenario is, and the hands that all of them use: questions in every dialect, tokens, patience. */
import { expect } from 'vitest';
import { type Scene, scenes } from '../support/scenes.ts';
import type { Received, Upstream } from '../support/upstream.ts';
import type { Host, Setup } from './host.ts';
import type { Line, Question, Reply } from './lines/line.ts';

/** One row of the table. */
export interface Scenario {
  readonly name: string;
  readonly setup?: Omit<Setup, 'upstream'>;
  run(at: Place): Promise<void>;
}

/** Where a scenario is played. */
export interface Place {
  /** The root of the gateway's paths. */
  readonly url: string;
  readonly host: Host;
  readonly upstream: Upstream;
  readonly line: Line;
  /** How SDKs reach it, where that is not by the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** A line of its own, closed with the others. */
  newLine(connections: number): Line;
}

/** The dialects, each with its path, the body of a question and the sign that an answer is whole. */
export const dialects = {
  chat: {
    path: '/v1/chat/completions',
    body: (prompt: string) => ({ messages: [{ role: 'user', content: prompt }] }),
    terminal: 'data: [DONE]\n\n',
  },
  messages: {
    path: '/v1/messages',
    body: (prompt: string) => ({ max_tokens: 100, messages: [{ role: 'user', content: prompt }] }),
    terminal: 'event: message_stop\n',
  },
  responses: {
    path: '/v1/responses',
    body: (prompt: string) => ({ input: prompt }),
    terminal: 'event: response.completed\n',
  },
  interactions: {
    path: '/v1/interactions',
    body: (prompt: string) => ({ input: prompt }),
    terminal: 'event: interaction.completed\n',
  },
  gemini: {
    path: '/v1/models/{model}:{method}',
    body: (prompt: string) => ({ contents: [{ role: 'user', parts: [{ text: prompt }] }] }),
    terminal: '"finishReason":"STOP"',
  },
} as const;

/** The id of a dialect. */
export type Id = keyof typeof dialects;

/** All of them. */
export const ids = Object.keys(dialects) as readonly Id[];

let asked = 0;

/** A text that no other request holds. */
export function newToken(): string {
  return `[adapters ${++asked}]`;
}

/** What one question differs in. */
export interface Asking extends Question {
  readonly model?: string;
  readonly stream?: boolean;
  /** Gemini's stream as one JSON array. */
  readonly array?: boolean;
  readonly line?: Line;
}

/** The body of a question; some dialects say in the path which model is asked, and for what. */
export function bodyOf(id: Id, prompt: string, { model = 'text', stream = true }: Asking = {}): object {
  return { ...(!dialects[id].path.includes('{model}') && { model, stream }), ...dialects[id].body(prompt) };
}

/** The path of a question. */
export function pathOf(id: Id, { model = 'text', stream = true, array = false }: Asking = {}): string {
  const method = stream ? `streamGenerateContent${array ? '' : '?alt=sse'}` : 'generateContent';
  return dialects[id].path.replace('{model}', encodeURIComponent(model)).replace('{method}', method);
}

/** Asks a question in a dialect. */
export function ask(at: Place, id: Id, prompt: string, asking: Asking = {}): Promise<Reply> {
  const { line = at.line, headers, body = JSON.stringify(bodyOf(id, prompt, asking)), half, signal } = asking;
  const more = { ...(half && { half }), ...(signal && { signal }) };
  const question = { headers: { 'content-type': 'application/json', ...headers }, body, ...more };
  return within(line.ask(at.url + pathOf(id, asking), question), 'the head of an answer');
}

/** A scene that is played only as it is released, frame by frame; `release` tells when each went out. */
export class Paced {
  readonly scene: Scene;
  readonly #waiting: (() => void)[] = [];
  #released = 0;

  constructor(pieces: readonly string[], ending: Scene['ending'] = 'whole') {
    const before = () => new Promise<'send'>((go) => this.#wait(() => go('send')));
    this.scene = { ...scenes.text, pieces: pieces.map((text) => ({ type: 'text', text })), ending, before };
  }

  /** Lets so many frames go, now or once their turn has come. */
  release(frames: number): void {
    this.#released += frames;
    this.#go();
  }

  #wait(go: () => void): void {
    this.#waiting.push(go);
    this.#go();
  }

  #go(): void {
    while (this.#released > 0 && this.#waiting.length > 0) {
      this.#released--;
      this.#waiting.shift()?.();
    }
  }
}

/** The one request about a token, once the upstream has it. */
export async function receivedAbout(upstream: Upstream, token: string): Promise<Received> {
  await eventually(() => upstream.about(token).length > 0, 'the upstream is asked');
  return upstream.about(token)[0] as Received;
}

/** The endings that the gateway has told of. */
export async function endingsOf({ host, line }: Place): Promise<string[]> {
  const reply = await within(line.ask(`${host.url}/own/endings`, { method: 'GET' }), 'the endings');
  return (await reply.json()) as string[];
}

/** Expects the endings since `before` to come to be these, in any order. */
export async function expectEndings(at: Place, before: readonly string[], expected: readonly string[]): Promise<void> {
  let since: string[] = [];
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await turn()) {
    since = (await endingsOf(at)).slice(before.length);
    if (since.length >= expected.length) break;
  }
  expect(since.toSorted()).toEqual(expected.toSorted());
}

/** What takes longer has failed. */
export const PATIENCE_MS = 4000;

/** Settles as `work` does. Rejects, with the name of what is missed, if that takes too long. */
export async function within<T>(work: Promise<T>, what: string, ms: number = PATIENCE_MS): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Settles once `holds` does. Rejects if that takes too long. */
async function eventually(holds: () => boolean, what: string): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !holds(); await turn())
    if (performance.now() > end) throw new Error(`${what}: not within ${PATIENCE_MS} ms`);
}

/** A few milliseconds. */
export function turn(ms = 5): Promise<void> {
  return new Promise((settle) => setTimeout(settle, ms));
}
