/** How many tokens a request has: its upstream's word, or an estimate that says what it is. */
import { type CanonicalRequest, GatewayError, type Part, type TokenCount } from '@streamglot/core';
import { passedIn } from './headers.ts';
import { type Incoming, understood } from './intake.ts';

/** A count, and whether anybody has counted. */
export interface Counted extends TokenCount {
  readonly isEstimate: boolean;
  /** The model's name as the client said it. */
  readonly model: string;
}

/** Statuses with which servers answer that have no such endpoint. */
const lacking: ReadonlySet<number | undefined> = new Set([404, 405, 501]);

/** The count of a request. Rejects with `GatewayError`. */
export async function counted(
  incoming: Pick<Incoming, 'settings' | 'route' | 'request'>,
  signal: AbortSignal,
): Promise<Counted> {
  const { decoded, name, model } = await understood(incoming);
  const { upstream, target = decoded.request.model } = model;
  const { losses } = incoming.settings;
  const request = { ...decoded.request, model: target };
  const headers = passedIn(incoming.request.headers);
  const call = { request, context: decoded.context, signal, headers, losses };
  const count = await upstream.countTokens?.(call).catch(unlessLacking);
  if (count !== undefined) return { ...count, isEstimate: false, model: name };
  return { inputTokens: estimateOf(request), isEstimate: true, model: name };
}

function unlessLacking(thrown: unknown): undefined {
  if (!(thrown instanceof GatewayError) || !lacking.has(thrown.error.status)) throw thrown;
}

/** UTF-8 bytes that count as one token. */
const bytesPerToken = 4;

/** Tokens that a picture or a document counts as, whatever its size. */
const tokensPerMedium = 1500;

/** Tokens around each turn. */
const tokensPerTurn = 4;

/** A count without a tokenizer: a token for every four bytes of text, calls, results and tool definitions. */
function estimateOf({ system, turns, tools }: CanonicalRequest): number {
  const parts = turns.flatMap((turn) => turn.parts).flatMap((part) => [part, ...innerParts(part)]);
  const texts = [...system.map(({ text }) => text), ...parts.map(textOf), ...tools.map(definitionOf)];
  const bytes = new TextEncoder().encode(texts.join('')).length;
  const media = parts.filter(({ type }) => type === 'image' || type === 'document' || type === 'audio').length;
  return Math.ceil(bytes / bytesPerToken) + media * tokensPerMedium + turns.length * tokensPerTurn;
}

function innerParts(part: Part): readonly Part[] {
  return part.type === 'tool_result' ? part.content : [];
}

function textOf(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text;
    case 'reasoning':
      return part.text ?? '';
    case 'tool_call':
      return part.name + part.input;
    case 'native':
      return JSON.stringify(part.value);
    default:
      return '';
  }
}

function definitionOf({ at: _at, ...tool }: CanonicalRequest['tools'][number]): string {
  return JSON.stringify(tool);
}
