/** Event-stream text as a tolerant client reads it: any line ends, any spacing, a last event without its blank line. */
import { object, parsed, type Wired } from './json.ts';

/** One event that has a payload. */
export interface SentEvent {
  name: string | undefined;
  data: string;
  /** The payload, where it is JSON. */
  json: Wired | undefined;
}

/** The events of a text, in order. */
export function eventsOf(stream: string): readonly SentEvent[] {
  const events: SentEvent[] = [];
  let name: string | undefined;
  let lines: string[] = [];
  for (const line of [...stream.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/), '']) {
    if (line === '') {
      if (lines.length > 0) events.push(eventOf(name, lines.join('\n')));
      name = undefined;
      lines = [];
    } else {
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (field === 'data') lines.push(value);
      else if (field === 'event') name = value;
    }
  }
  return events;
}

function eventOf(name: string | undefined, data: string): SentEvent {
  const json = parsed(data);
  return { name, data, json: typeof json === 'object' && json !== null ? object(json) : undefined };
}
