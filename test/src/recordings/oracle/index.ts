/** What a dialect's official SDK reads in a stream; nothing here knows the product. */
import { readerOf } from '../../support/reading/index.ts';
import type { Reading } from '../../support/reading/reading.ts';
import { type Accumulated, accumulators } from './accumulator.ts';
import { type Body, isReported, messageOf, requests } from './sdk.ts';

/** A stream, read event by event and as a whole. */
export interface Read extends Reading {
  fault: Fault | undefined;
  accumulated: Accumulated;
}

/** Why the SDK stopped reading, or the error that it read as an event among others. */
export interface Fault {
  message: string;
  /** Whether the stream itself reported it; else the SDK could not read the bytes. */
  reported: boolean;
}

/** Whether a client is told that the answer failed. */
export function hasFailed({ fault, answers }: Read): boolean {
  return fault !== undefined || answers[0].end === 'error';
}

/** Reads what an upstream sent, with the habits that recordings show. */
export function readRecorded(dialect: string, body: Body, provider: string): Promise<Read> {
  return read(dialect, body, { recorded: true, provider });
}

/** Reads what we wrote, as strictly as the strictest part of the SDK. */
export function readWritten(dialect: string, body: Body): Promise<Read> {
  return read(dialect, body, { recorded: false });
}

async function read(dialect: string, body: Body, options: { recorded: boolean; provider?: string }): Promise<Read> {
  const reader = readerOf(dialect, options);
  const thrown = await drained(entryOf(requests, dialect)(body), (event) => reader.take(event));
  const { reading } = reader;
  const told = reading.error === undefined ? undefined : { message: reading.error, reported: true };
  const accumulated = await entryOf(accumulators, dialect)(body).catch((fault) => ({ failure: messageOf(fault) }));
  return { ...reading, fault: thrown ?? told, accumulated };
}

/** Reads a stream to its end; gives what the SDK throws. */
async function drained(
  stream: PromiseLike<AsyncIterable<unknown>>,
  take: (event: unknown) => void,
): Promise<Fault | undefined> {
  try {
    for await (const event of await stream) take(event);
    return undefined;
  } catch (thrown) {
    return { message: messageOf(thrown), reported: isReported(thrown) };
  }
}

function entryOf<T>(table: Readonly<Record<string, T>>, dialect: string): T {
  const entry = table[dialect];
  if (entry === undefined) throw new Error(`no official SDK is known for ${dialect}`);
  return entry;
}
