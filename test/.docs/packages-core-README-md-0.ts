import { createTranslator } from '@streamglot/core';

const translator = createTranslator({ from: 'messages', to: 'chat' });
// for each chunk of the upstream:   send(translator.push(chunk))
// when no chunk will follow:        send(translator.end())
