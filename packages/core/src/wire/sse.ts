/** Event-stream text to frames, at any cut (WHATWG HTML, "Server-sent events"). */
import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { Stage } from '../stage.ts';
import type { Frame } from './frame.ts';
import { StrayJson } from './stray.ts';
import { parsed, payloadsIn } from './wrapped.ts';

/** Reads server-sent events. Comments, ids and retry hints are not kept. */
export class SseReader implements Stage<string, Frame> {
  readonly #maxFrame: number;
  readonly #parser: EventSourceParser;
  readonly #stray = new StrayJson();
  #frames: Frame[] = [];
  #faulty = false;

  constructor(maxFrameBytes: number) {
    this.#maxFrame = maxFrameBytes;
    this.#parser = createParser({
      maxBufferSize: maxFrameBytes,
      onEvent: (event) => {
        this.#stray.clear();
        this.#take(event.event, event.data);
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#overflow();
        else if (error.line !== undefined) this.#takeStray(error.line);
      },
    });
  }

  push(text: string): readonly Frame[] {
    if (this.#faulty || text === '') return [];
    this.#parser.feed(text);
    const frames = this.#frames;
    if (frames.length > 0) this.#frames = [];
    return frames;
  }

  /** An unfinished last event counts when it is whole: streams end without their blank line in practice. */
  end(): readonly Frame[] {
    const rest = this.push('\n\n');
    return rest.filter((frame, at) => at < rest.length - 1 || frame.fault !== undefined || isWhole(frame.data));
  }

  #take(name: string | undefined, data: string): void {
    if (data.length + (name?.length ?? 0) > this.#maxFrame) this.#overflow();
    else if (!this.#faulty) for (const payload of payloadsIn(data)) this.#frames.push({ name, data: payload });
  }

  #overflow(): void {
    if (this.#faulty) return;
    this.#faulty = true;
    const message = `The upstream sent an event of more than ${this.#maxFrame} characters.`;
    this.#frames.push({ name: undefined, data: '', fault: { type: 'too_large', code: 'frame_too_large', message } });
  }

  #takeStray(line: string): void {
    const json = this.#stray.add(line);
    if (json !== undefined) this.#take(undefined, json.trimEnd());
  }
}

function isWhole(data: string): boolean {
  return data.trim() === '[DONE]' || parsed(data) !== undefined;
}
