/** Tokens by which an answer goes on: clients send them back unasked, and each is worth something only to who gave it. */
import {
  asArray,
  asObject,
  asText,
  type CanonicalEvent,
  encodeCarrier,
  type FrameEvents,
  isCarrier,
  type JsonObject,
  type Losses,
  type Native,
  type Origin,
  type Stage,
  type Unsealer,
} from '../../dialect.ts';

/** A stage that binds the tokens of an answer to who gave it. */
export class Binding implements Stage<FrameEvents, FrameEvents> {
  readonly #origin: Origin;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  push(events: FrameEvents): readonly FrameEvents[] {
    const native = events[0]?.native;
    if (native !== undefined && holdsToken(native)) this.#bindNative(native);
    return [events.some(isContinued) ? events.map((event) => this.#bind(event)) : events];
  }

  end(): readonly FrameEvents[] {
    return [];
  }

  #bindNative(native: Native): void {
    for (const answer of [native.data, native.whole])
      for (const wire of asArray(asObject(answer)?.candidates)) {
        const candidate = asObject(wire);
        const token = asText(candidate?.continuationToken);
        if (candidate === undefined || token === undefined) continue;
        candidate.continuationToken = this.#bound(token);
        native.text = undefined;
      }
  }

  #bind(event: CanonicalEvent): CanonicalEvent {
    const token = event.type === 'finish' ? event.details?.continuationToken : undefined;
    if (event.type !== 'finish' || token === undefined) return event;
    return { ...event, details: { ...event.details, continuationToken: this.#bound(token) } };
  }

  #bound(token: string): string {
    if (isCarrier(token)) return token;
    return encodeCarrier({ ...this.#origin, blobs: [{ kind: 'continuation', value: token, on: 'text' }] }) ?? token;
  }
}

const member = 'continuationToken';

/** The text of a frame is searched, for few frames are worth to be parsed; one that was mended has none. */
function holdsToken({ text }: Native): boolean {
  return text === undefined || text.includes(member);
}

function isContinued(event: CanonicalEvent): boolean {
  return event.type === 'finish' && event.details?.continuationToken !== undefined;
}

/** The body with the token that its upstream gave; without it where another one did, for then the answer begins anew. */
export function withOwnToken(body: JsonObject, unsealer: Unsealer, losses: Losses): JsonObject {
  const { continuationToken, continuation_token: token = continuationToken, ...rest } = body;
  const blobs = unsealer.open(asText(token), member);
  if (blobs === undefined) return body;
  const own = blobs.find(({ kind }) => kind === 'continuation')?.value;
  if (own !== undefined) return { ...rest, [member]: own };
  losses.severe(member, 'the answer that is to go on was begun by another model');
  return rest;
}
