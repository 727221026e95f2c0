import { reader } from '@streamglot/core/messages';

const answer = reader({ contentType: 'text/event-stream' });
// for each chunk of the body:       for (const events of answer.push(chunk)) show(events)
// when no chunk will follow:        for (const events of answer.end()) show(events)
