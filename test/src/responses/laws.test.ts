/** Laws of the Responses encoder: clean streams pass as they are, and writing may begin after any frame. */
import { defaultLimits, type FrameEvents, GrammarCheck, Ids, SseReader } from '@streamglot/core';
import { describe, expect, it } from 'vitest';
import { responses } from '../../../packages/core/src/dialects/responses/index.ts';
import { createTranslator } from '../../../packages/core/src/translator.ts';
import { eventsOf, responses as grammar } from '../support/grammar/responses.ts';
import { streams, text } from './wire.ts';

const options = () => ({ ids: new Ids('seed'), limits: defaultLimits });

function decoded(stream: string): FrameEvents[] {
  const decoder = responses.decoder(options());
  const frames = new SseReader(defaultLimits.maxFrameBytes).push(stream);
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

/** The events of a frame without their original, so that they have to be written. */
function bare(events: FrameEvents): FrameEvents {
  return events.map(({ native: _native, ...event }) => event);
}

function translated(stream: string): string {
  const translator = createTranslator({ from: responses, to: responses });
  const utf8 = new TextDecoder();
  return utf8.decode(translator.push(stream)) + utf8.decode(translator.end());
}

describe.each(Object.entries(streams))('a clean stream of %s', (_name, events) => {
  const stream = text(events);

  it('is lawful itself', () => {
    expect(grammar.violations(stream)).toEqual([]);
  });

  it('passes byte for byte', () => {
    expect(translated(stream)).toBe(stream);
  });

  it('decodes to a lawful canonical stream', () => {
    const check = new GrammarCheck();
    for (const frame of decoded(stream)) check.push(frame);
    check.end();
    expect(check.violations).toEqual([]);
  });

  it('is lawful wherever it is cut: what is missing is said with an error', () => {
    for (let length = 1; length < events.length; length++) {
      const out = translated(text(events.slice(0, length)));
      expect(grammar.violations(out), `cut after ${length} frames`).toEqual([]);
      expect(eventsOf(out).at(-1)?.type).toBe('response.failed');
    }
  });

  it('is lawful when the first frames are relayed and all others are written', () => {
    const said = said_(stream);
    for (let relayed = 0; relayed <= events.length; relayed++) {
      const encoder = responses.encoder(options());
      const frames = decoded(stream);
      const out = frames.map((frame, at) => encoder.push(at < relayed ? frame : bare(frame))).join('') + encoder.end();
      expect(grammar.violations(out), `written after ${relayed} frames`).toEqual([]);
      expect(said_(out), `written after ${relayed} frames`).toEqual(said);
    }
  });
});

/** What a client reads: the output of the last response, without what a writer may leave out. */
function said_(stream: string): unknown {
  const last = eventsOf(stream).at(-1)?.response as { status: string; output: Record<string, unknown>[] };
  const output = last.output.map(
    ({ type, id, content, summary, arguments: args, input, encrypted_content, action }) => ({
      type,
      id,
      said: (content as { text?: string; refusal?: string }[] | undefined)?.map((part) => part.text ?? part.refusal),
      summary,
      args,
      input,
      encrypted_content,
      action,
    }),
  );
  return { status: last.status, output };
}
