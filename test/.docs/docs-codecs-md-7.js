import { decodeRequest, dialects } from '@streamglot/core';

const { request, context } = decodeRequest('chat', {
  path: '/v1/chat/completions',
  query: {},
  headers: {},
  body: { model: 'fast', stream: true, seed: 7, messages: [{ role: 'user', content: 'Hello!' }] },
});
const options = { stream: true, maxOutputTokens: 1000 };
const { path, body, losses } = dialects.messages.encodeRequest(request, context, options);
console.log(path, JSON.stringify(body));
console.log(losses.map(({ field, reason, severity }) => `${field}: ${reason} (${severity})`));
