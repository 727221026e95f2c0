/** An upstream without network and key: answers any request from a script, the same way each time. */
import {
  type CanonicalRequest,
  GatewayError,
  Ids,
  type Provider,
  type Upstream,
  type UpstreamCall,
  type UpstreamReply,
} from '@streamglot/core';
import { bounded } from './bounds.ts';
import { usageOf } from './estimate.ts';
import { framesOf } from './frames.ts';
import { played } from './player.ts';
import { bringsResults, replyTo } from './reply.ts';
import { scenes } from './scenes.ts';
import { isSilent, type Script } from './script.ts';

export type { Script, ScriptedCall } from './script.ts';

/** What `replay` takes. */
export interface ReplayOptions {
  /** Stands before the model in the upstream's id; `replay` unless told. */
  name?: string;
  /** The n-th answers the n-th request of a conversation; what comes after them is answered as if there were none. */
  turns?: readonly Script[];
  /** Milliseconds between two pieces; 20 unless told. */
  delayMs?: number;
}

/**
 * A provider that needs nothing. A model named like a scene (`text`, `reasoning`, `tool`, `parallel`, `interleaved`,
 * `length`, `refusal`, `content-filter`, `stop-sequence`, `multibyte`, `slow`, `cut`, `error`, `rate-limit`) plays it;
 * any other answers what it is asked. Usage is an estimate: one token for every four characters.
 */
export function replay(options: ReplayOptions = {}): Provider {
  const name = options.name ?? 'replay';
  return { name, keyed: false, upstream: (model) => new Replay(`${name}/${model}`, model, options) };
}

class Replay implements Upstream {
  readonly id: string;
  readonly #model: string;
  readonly #options: ReplayOptions;

  constructor(id: string, model: string, options: ReplayOptions) {
    this.id = id;
    this.#model = model;
    this.#options = options;
  }

  async open({ request, context, stream, signal }: UpstreamCall): Promise<UpstreamReply> {
    if (signal.aborted)
      throw new GatewayError({ type: 'cancelled', code: 'client_closed', message: 'The request was cancelled.' });
    const script = bounded(this.#script(request), request);
    if (script.error !== undefined && isSilent(script)) throw new GatewayError(script.error);
    const ids = new Ids(context.seed);
    ids.seedFrom(JSON.stringify([this.#model, request.system, request.turns]));
    const frames = framesOf(script, {
      model: this.#model,
      ids,
      usage: usageOf(request, script),
      custom: new Set(request.tools.filter(({ type }) => type === 'custom').map(({ name }) => name)),
      choices: request.choices ?? 1,
    });
    const delayMs = script.delayMs ?? this.#options.delayMs ?? 20;
    const head = { status: 200, headers: new Map([['content-type', 'text/event-stream']]), dialect: 'chat' } as const;
    return { head, batches: played(stream ? frames : [frames.flat()], delayMs, signal) };
  }

  #script(request: CanonicalRequest): Script {
    const asked = request.turns.filter(({ role }) => role === 'assistant').length;
    const written = this.#options.turns?.[asked];
    if (written !== undefined) return written;
    const scene = scenes[this.#model];
    return scene === undefined || bringsResults(request) ? replyTo(request) : scene(request);
  }
}
