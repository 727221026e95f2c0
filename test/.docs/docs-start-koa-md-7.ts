import { llmGateway } from '@streamglot/koa';
import { anthropic } from '@streamglot/providers';

const gateway = llmGateway({
  providers: { anthropic: anthropic({ apiKey: process.env.ANTHROPIC_API_KEY }) },
  models: { fast: 'anthropic/claude-haiku-4-5' },
  authorize: ({ key }) => (key !== undefined && key === process.env.CLIENT_KEY ? 'client' : undefined),
});
