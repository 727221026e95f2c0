/** The recordings of one dialect, translated to every dialect and read by the official SDKs of both sides. */
import { isDeepStrictEqual } from 'node:util';
import { createTranslator, dialects, type KnownDialect } from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { atRandom, byEvent } from '../support/cuts.ts';
import { eventsOf } from '../support/events.ts';
import { asEvents, byElement, elementsIn } from './array.ts';
import { differences, type Pair } from './compare.ts';
import { bytesOf, folders, isPresent, type Recording, recordings } from './corpus.ts';
import { exceptions } from './exceptions.ts';
import { type Read, readRecorded, readWritten } from './oracle/index.ts';
import { waiting } from './pace.ts';
import { relayed } from './relay.ts';

const targets = Object.keys(dialects) as KnownDialect[];
const arrayTargets = targets.filter((id) => dialects[id].arrayReader !== undefined);
/** One recording in so many is also cut at random. */
const SAMPLE = 8;
const MINUTE = 60_000;

/** A recording that has been read by the SDK of its own dialect, once for all targets. */
interface Original {
  recording: Recording;
  /** One for each event. */
  chunks: readonly Uint8Array[];
  /** The chunks as server-sent events, which is what they are unless the stream is an array. */
  events: readonly string[];
  reading: Read;
  doneMarker: boolean;
}

/** Registers the tests of one dialect's recordings, once it is in the registry: one for each folder and target. */
export function judgeRecordings(from: string): void {
  const names = Object.keys(folders[from] ?? {});
  const canJudge = isPresent && from in dialects;
  describe.runIf(canJudge).each(names)('recordings of %s', (folder) => {
    const here = recordings.filter((recording) => recording.folder === folder);
    const originals = new Map<string, Promise<Original>>();
    test.each(targets)(
      'say the same to a client of %s',
      async (to) => {
        const failures: string[] = [];
        for (const recording of here) {
          const original = originals.get(recording.file) ?? read(recording);
          originals.set(recording.file, original);
          failures.push(...excused(recording, to, await judge(await original, to)));
        }
        expect(failures).toEqual([]);
      },
      2 * MINUTE,
    );

    test.each(arrayTargets)('reach a client of %s as the elements of an array, each when its event is due', (to) => {
      const different = here.filter((recording) => !isSameAsArray(recording, to)).map(({ file }) => file);
      expect(different).toEqual([]);
    });

    test.each(targets)('read the same by a client of %s, wherever the bytes are cut', (to) => {
      const sample = here.filter((_, at) => at % SAMPLE === 0);
      const torn = sample.filter((recording) => !isSteady(recording, to)).map(({ file }) => file);
      expect(torn).toEqual([]);
    });
  });
}

async function read(recording: Recording): Promise<Original> {
  const bytes = bytesOf(recording);
  const isArray = recording.framing === 'json-array';
  const chunks = isArray ? byElement(bytes) : byEvent(bytes);
  const events = chunks.map(isArray ? asEvents : text);
  // Recorders trim the last blank line, without which an SDK waits for the end of the event.
  const reading = await readRecorded(recording.dialect, [Buffer.from(events.join('')), BLANK], recording.provider);
  const doneMarker = /^data: ?\[DONE\]/m.test(events.join(''));
  return { recording, chunks, events, reading, doneMarker };
}

const BLANK = Buffer.from('\n\n');

async function judge(
  { recording, chunks, events, reading, doneMarker }: Original,
  to: KnownDialect,
): Promise<string[]> {
  const from = recording.dialect as KnownDialect;
  const writes = translate(from, to, chunks);
  const body = writes.filter((write) => write.length > 0);
  const got = from === to ? await readRecorded(to, [...body, BLANK], recording.provider) : await readWritten(to, body);
  const pair: Pair = { from, to, sent: reading, got, doneMarker };
  const found = [...differences(pair)];
  const late = waiting(from, to, events, writes.map(text));
  if (late !== undefined) found.push(`pace: ${late}`);
  if (from === to && !recording.anomalous) {
    const difference = relayed(pair, events.join(''), writes.map(text).join(''));
    if (difference !== undefined) found.push(`relay: ${difference}`);
  }
  return found.map((difference) => `${recording.file}: ${difference}`);
}

/** What of the failures no exception explains, and exceptions that explain nothing. */
function excused({ file, dialect }: Recording, to: string, failures: readonly string[]): readonly string[] {
  const excuse = exceptions.find((known) => known.file === file && known.from === dialect && known.to === to);
  if (excuse === undefined) return failures;
  return failures.length > 0 ? [] : [`${file}: is equal now; take its exception out (${excuse.reason})`];
}

function isSteady(recording: Recording, to: KnownDialect): boolean {
  const from = recording.dialect as KnownDialect;
  const bytes = bytesOf(recording);
  const whole = translate(from, to, [bytes]).map(text).join('');
  const torn = translate(from, to, atRandom(bytes, recording.file, 200))
    .map(text)
    .join('');
  return whole === torn;
}

/** Whether the elements of each write are the events of the same write, and all of them one array. */
function isSameAsArray(recording: Recording, to: KnownDialect): boolean {
  const from = recording.dialect as KnownDialect;
  const bytes = bytesOf(recording);
  const chunks = recording.framing === 'json-array' ? byElement(bytes) : byEvent(bytes);
  const events = translate(from, to, chunks).map((write) => eventsOf(text(write)).map(({ json }) => json));
  const writes = translate(from, to, chunks, 'json-array').map(text);
  const elements = writes.map((write) => elementsIn(write));
  return isDeepStrictEqual(elements, events) && isDeepStrictEqual(JSON.parse(writes.join('')), events.flat());
}

/** What the client gets after each chunk, and after the end. */
function translate(
  from: KnownDialect,
  to: KnownDialect,
  chunks: readonly Uint8Array[],
  toFraming: 'sse' | 'json-array' = 'sse',
): Uint8Array[] {
  const translator = createTranslator({ from, to, toFraming, includeUsage: true });
  return [...chunks.map((chunk) => translator.push(chunk)), translator.end()];
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
