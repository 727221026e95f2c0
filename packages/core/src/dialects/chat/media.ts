/** Sound and pictures in Chat deltas. */
import { asArray, asNumber, asObject, asText, type JsonObject } from '../../dialect.ts';
import type { Sink } from './sink.ts';

/** Reads `delta.audio`, one block for each choice, and `delta.images`, an addition of some servers. */
export class Media {
  readonly #choice: number;
  readonly #sink: Sink;
  #audio: number | undefined;
  #expiresAt: number | undefined;

  constructor(choice: number, sink: Sink) {
    this.#choice = choice;
    this.#sink = sink;
  }

  /** Reads a piece of the sound and of its transcript. */
  hear(wire: unknown): void {
    const audio = asObject(wire);
    if (audio === undefined) return;
    const id = asText(audio.id);
    const base64 = asText(audio.data);
    const transcript = asText(audio.transcript);
    this.#expiresAt = asNumber(audio.expires_at) ?? this.#expiresAt;
    this.#audio ??= this.#sink.open(this.#choice, 'audio', id === undefined ? {} : { item: { id } });
    if (base64 !== undefined) this.#sink.put(this.#audio, { type: 'data', base64 });
    if (transcript !== undefined) this.#sink.put(this.#audio, { type: 'transcript', text: transcript });
  }

  /** Ends the sound; only its end says how long it can be referred to. */
  end(): void {
    if (this.#audio === undefined) return;
    const final = this.#expiresAt === undefined ? undefined : { item: { expires_at: this.#expiresAt } };
    this.#sink.shut(this.#audio, undefined, final);
  }

  /** Reads whole pictures: `image_url.url`, usually a data URL. */
  see(wire: unknown): void {
    for (const image of asArray(wire)) {
      const url = asText(asObject(asObject(image)?.image_url)?.url);
      if (url !== undefined) this.#show(url);
    }
  }

  #show(url: string): void {
    const [, mimeType, base64] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
    const media: JsonObject = mimeType === undefined ? { uri: url } : { mimeType };
    const block = this.#sink.open(this.#choice, 'image', { media });
    if (base64 !== undefined) this.#sink.put(block, { type: 'data', base64, ...(mimeType && { mimeType }) });
    this.#sink.shut(block);
  }
}
