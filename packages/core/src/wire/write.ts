/** Event-stream text out: one event, or a comment that clients skip. */

/** An event without a name. */
export function dataEvent(data: string): string {
  return `data: ${data}\n\n`;
}

/** An event with its name; line ends in a name cannot break the framing. */
export function namedEvent(name: string, data: string): string {
  return `event: ${name.replace(/[\r\n]+/g, ' ')}\ndata: ${data}\n\n`;
}

/** A comment, which keeps a connection alive and says nothing. */
export function comment(text: string): string {
  return `: ${text.replace(/[\r\n]+/g, ' ')}\n\n`;
}
