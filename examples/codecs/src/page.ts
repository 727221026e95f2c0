/** Runs in the browser: decodes a stream of Messages as it arrives, and shows what it says. */
import { reader } from '@streamglot/core/messages';

const response = await fetch('/stream');
const answer = reader({ status: response.status });
const body = response.body?.getReader();

for (;;) {
  const chunk = await body?.read().catch(() => undefined);
  for (const events of chunk?.value ? answer.push(chunk.value) : answer.end(chunk ? 'closed' : 'reset'))
    for (const event of events) show(event);
  if (!chunk?.value) break;
}

function show(event: ReturnType<typeof answer.end>[number][number]): void {
  if (event.type === 'block-start' && event.toolCall) write('calls', `${event.toolCall.name} `);
  if (event.type === 'block-delta' && event.delta.type === 'text') write('text', event.delta.text);
  if (event.type === 'block-delta' && event.delta.type === 'reasoning') write('reasoning', event.delta.text);
  if (event.type === 'block-delta' && event.delta.type === 'input') write('calls', event.delta.text);
  if (event.type === 'error') write('ending', event.error.message);
  if (event.type === 'response-end') write('ending', event.status);
}

function write(id: string, text: string): void {
  document.getElementById(id)?.append(text);
}
