import { createReadStream } from 'node:fs';
import { createTranslator } from '@streamglot/core';

const translator = createTranslator({ from: 'messages', to: 'chat' });
for await (const chunk of createReadStream('recorded.sse')) process.stdout.write(translator.push(chunk));
process.stdout.write(translator.end());
console.log(translator.ending, translator.usage?.outputTokens, translator.warnings.length);
