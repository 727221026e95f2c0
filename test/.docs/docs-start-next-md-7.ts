import { llmGateway } from '@streamglot/next';
import { anthropic } from '@streamglot/providers';

export const { GET, POST, DELETE } = llmGateway(() => ({
  providers: { anthropic: anthropic({ apiKey: process.env.ANTHROPIC_API_KEY }) },
  models: { fast: 'anthropic/claude-haiku-4-5' },
  authorize: ({ key }) => (key !== undefined && key === process.env.CLIENT_KEY ? 'client' : undefined),
}));

export const maxDuration = 300; // seconds that a serverless host gives one answer
