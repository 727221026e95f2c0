import { llmGateway } from '@streamglot/next';
import { anthropic } from '@streamglot/providers';

export const maxDuration = 300;

export const { GET, POST, DELETE } = llmGateway(() => ({
  providers: { anthropic: anthropic({ apiKey: process.env.ANTHROPIC_API_KEY }) },
  models: { fast: 'anthropic/claude-haiku-4-5' },
  authorize: 'host',
  timeouts: { totalMs: (maxDuration - 10) * 1000 },
  store: false,
}));
