/** What the stand-in upstream must know of a dialect: how a provider writes it, and what a request of it says. */
import { list, object } from '../json.ts';
import type { Refused, Scene } from '../scenes.ts';

/** A tool's result as a request brings it. */
export interface ToolResult {
  id: string;
  text: string;
}

/** What is looked up in a request, whatever its dialect. */
export interface Look {
  model: string;
  stream: boolean;
  /** Names of the tools on offer. */
  tools: readonly string[];
  stops: readonly string[];
  /** The assistant's calls in the history. */
  calls: readonly { id: string; name: string; input: unknown }[];
  results: readonly ToolResult[];
  /** Opaque parts of reasoning in the history: signatures, encrypted and redacted thinking. */
  signatures: readonly string[];
  /** The JSON Schema that the answer must follow. */
  schema?: unknown;
}

/** A request as it came. */
export interface Asked {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Readonly<Record<string, unknown>>;
}

/** A request for a stream that keeps nothing back, in any dialect. */
export const frank: Asked = {
  headers: {},
  body: {
    model: 'a-model',
    stream: true,
    stream_options: { include_usage: true },
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
  },
};

/** One dialect on the wire, written and read as its provider does it. */
export interface Wire {
  /** Where it is asked. */
  readonly path: string;
  /** The frames of a scene, one string each; what follows the last one is the server's affair. */
  write(scene: Scene, asked: Asked): string[];
  /** A scene as the body of an answer that is no stream. */
  whole(scene: Scene, asked: Asked): unknown;
  /** Whether it can be asked to stop at a text. */
  readonly takesStops: boolean;
  /** The id of a scene's call. */
  callId(call: number): string;
  /** Whether a whole frame proves that the answer ended well. */
  proves(frame: string): boolean;
  /** The body of an HTTP error. */
  refuse(refused: Refused): unknown;
  /** What the provider would refuse in a request, if anything. */
  complaint(asked: Asked): string | undefined;
  look(body: Readonly<Record<string, unknown>>): Look;
}

export { list, object };

/** The text of a content that is a string or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => (typeof part.text === 'string' ? part.text : ''))
    .join('');
}
