/** Event-stream text in the one clean form that a server should write. */
import { isObject, parsed, type Report, type Wired } from './report.ts';

/** One frame: a payload, `[DONE]`, or a comment, which has neither. */
export interface WireFrame {
  event: string | undefined;
  data: string | undefined;
  json: Wired | undefined;
}

/** The frames of a text; every departure from the clean form is noted. */
export function framesOf(text: string, report: Report): WireFrame[] {
  report.need(text !== '', 'framing: nothing at all');
  report.need(!text.includes('\r'), 'framing: a carriage return');
  report.need(text.endsWith('\n\n'), 'framing: the last frame has no blank line after it');
  report.need(!text.startsWith('\n') && !text.includes('\n\n\n'), 'framing: a blank line too many');
  const blocks = text.split('\n\n').filter((block) => block !== '');
  return blocks.map((block, at) => {
    report.frame = at;
    return frameOf(block, report);
  });
}

function frameOf(block: string, report: Report): WireFrame {
  const lines = block.split('\n').filter((line) => line !== '');
  if (lines.every((line) => line.startsWith(':'))) return { event: undefined, data: undefined, json: undefined };
  const last = lines.at(-1) ?? '';
  report.need(lines.length === 1 || (lines.length === 2 && lines[0]?.startsWith('event: ') === true), 'framing: lines');
  report.need(last.startsWith('data: '), 'framing: no data line');
  const data = last.slice('data: '.length);
  const json = parsed(data);
  report.need(data === '[DONE]' || isObject(json), `framing: data is no JSON object: ${data.slice(0, 60)}`);
  const event = lines.length > 1 ? lines[0]?.slice('event: '.length) : undefined;
  return { event, data, json: isObject(json) ? json : undefined };
}
