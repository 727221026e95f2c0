/** Streams that real providers sent, as their recorders kept them, framed again where only the payloads were kept. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder, hasData } from '../support/data.ts';
import { object, parsed, type Wired } from '../support/json.ts';

/** One recorded stream. */
export interface Recording {
  /** Its file, relative to the corpus. */
  file: string;
  folder: string;
  dialect: string;
  provider: string;
  /** Whether the catalogue notes something about it that the protocol does not have. */
  anomalous: boolean;
  framing: string;
}

/** What is read of a line of the catalogue. */
interface Row extends Omit<Recording, 'folder' | 'anomalous'> {
  kind: string;
  features?: readonly string[];
  anomalies?: Wired;
  provenance: string;
  unparsable?: unknown;
}

/** The folders of the corpus by the dialect in which their streams are, each with how many there are at least. */
export const folders: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  chat: { 'openai-chat': 122, 'openai-compatible': 224, 'xai-chat': 26 },
  messages: { 'anthropic-messages': 144, 'anthropic-compatible': 22 },
  gemini: { 'gemini-sse': 101, 'gemini-json-array': 20 },
  interactions: { 'gemini-interactions': 13 },
  responses: { 'openai-responses': 136, 'openai-responses-compatible': 33, 'xai-responses': 29 },
};

/** Whether there is a corpus to read. */
export const isPresent: boolean = hasData(join('corpus', 'CATALOG.jsonl'));

/** Every stream of the folders above, less those that are several in one file, made up, or unreadable. */
export const recordings: readonly Recording[] = isPresent ? catalogue() : [];

function catalogue(): Recording[] {
  const text = readFileSync(join(dataFolder('corpus'), 'CATALOG.jsonl'), 'utf8');
  const rows = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]));
  return rows.filter(isWhole).flatMap((row) => recordingOf(row) ?? []);
}

function isWhole({ kind, features, provenance, unparsable }: Row): boolean {
  const several = features?.includes('concatenated_streams') === true;
  return kind === 'stream' && !several && provenance !== 'suspect-synthetic' && !unparsable;
}

function recordingOf({ file, provider, framing, anomalies, dialect: folder }: Row): Recording | undefined {
  const dialect = Object.keys(folders).find((id) => folder in (folders[id] ?? {}));
  if (dialect === undefined) return undefined;
  // Event ids are for resuming; nothing needs them.
  const noted = Object.keys(anomalies ?? {}).filter((name) => name !== 'no_event_id');
  return { file, folder, dialect, provider, framing, anomalous: noted.length > 0 };
}

/** The bytes of a recording, as its provider sent them. */
export function bytesOf({ file, framing, dialect }: Recording): Uint8Array {
  const bytes = readFileSync(join(dataFolder('corpus'), file));
  return framing === 'jsonl-chunks' ? Buffer.from(framed(dialect, bytes.toString('utf8'))) : bytes;
}

/** One event for each line. The payload says its name, except in Chat, which has none and ends with `[DONE]`. */
function framed(dialect: string, payloads: string): string {
  const lines = payloads.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (dialect === 'gemini') return lines.map((line) => `data: ${line}\n\n`).join('');
  if (dialect !== 'chat') {
    const events = lines.map((line) => `event: ${typeOf(object(parsed(line)))}\ndata: ${line}\n\n`);
    return [...events, ...(dialect === 'interactions' ? [DONE] : [])].join('');
  }
  const done = lines.some((line) => line.trim() === '[DONE]');
  return [...lines, ...(done ? [] : ['[DONE]'])].map((line) => `data: ${line}\n\n`).join('');
}

/** The recorder of payloads did not keep the mark of the end. */
const DONE = 'event: done\ndata: [DONE]\n\n';

function typeOf({ type, event_type }: Wired): unknown {
  return event_type ?? type;
}
