/** A route of Next.js that answers LLM clients; the upstream is scripted, so that no key is needed. */
import { llmGateway } from '@streamglot/next';
import { replay } from '@streamglot/providers';

export const { GET, POST, DELETE } = llmGateway({
  providers: { demo: replay() },
  models: { fast: 'demo/scripted' },
});

export const maxDuration = 300; // seconds that a serverless host gives one answer
