// pages/api/[[...llm]].ts
import { llmGateway } from '@streamglot/next/pages';
import { anthropic } from '@streamglot/providers';

export const config = { api: { bodyParser: false } };
export default llmGateway(() => ({
  providers: { anthropic: anthropic({ apiKey: process.env.ANTHROPIC_API_KEY }) },
  models: { fast: 'anthropic/claude-haiku-4-5' },
  authorize: 'host',
}));
