import { createReadStream } from 'node:fs';
import { decodeStream } from '@streamglot/core';

let text = '';
for await (const event of decodeStream(createReadStream('recorded.sse'), 'messages')) {
  if (event.type === 'block-delta' && event.delta.type === 'text') text += event.delta.text;
  if (event.type === 'block-start' && event.toolCall) console.log('calls', event.toolCall.name);
  if (event.type === 'error') console.log('failed:', event.error.message);
  if (event.type === 'response-end') console.log('said', text);
}
