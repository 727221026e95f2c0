// app/api/[[...llm]]/route.js
import { llmGateway } from '@streamglot/next';
import { replay } from '@streamglot/providers';

export const { GET, POST, DELETE } = llmGateway({
  providers: { demo: replay() },
  models: { fast: 'demo/scripted' },
});
