import { nodeHandler } from '@streamglot/node';
import { anthropic } from '@streamglot/providers';

const gateway = nodeHandler({
  providers: { anthropic: anthropic({ apiKey: process.env.ANTHROPIC_API_KEY }) },
  models: { fast: 'anthropic/claude-haiku-4-5' },
  authorize: ({ key }) => (key !== undefined && key === process.env.CLIENT_KEY ? 'client' : undefined),
});
