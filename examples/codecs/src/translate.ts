/** Translates a recorded stream on the command line: `node ... src/translate.ts [file] [from] [to]`. */
import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createTranslator, dialectOf, type KnownDialect } from '@streamglot/core';

const recorded = fileURLToPath(new URL('../recorded.sse', import.meta.url));
const [, , file = recorded, from = 'messages', to = 'chat'] = process.argv;

const translator = createTranslator({ from: known(from), to: known(to) });
for await (const chunk of createReadStream(file)) process.stdout.write(translator.push(chunk));
process.stdout.write(translator.end());

const { ending, usage, warnings, losses } = translator;
console.error({ ending, usage, warnings, losses });

function known(id: string): KnownDialect {
  return dialectOf(id).id as KnownDialect;
}
