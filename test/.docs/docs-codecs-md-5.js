import { createReadStream } from 'node:fs';
import { collect, decodeStream, defaultLimits, dialects, Ids } from '@streamglot/core';

const response = await collect(decodeStream(createReadStream('recorded.sse'), 'messages'));
const answer = dialects.responses.encodeResponse(response, { ids: new Ids(), limits: defaultLimits });
console.log(JSON.stringify(answer));
