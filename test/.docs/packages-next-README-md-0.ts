// app/api/[[...llm]]/route.ts
import { llmGateway } from '@streamglot/next';
import { anthropic } from '@streamglot/providers';

export const { GET, POST, DELETE } = llmGateway(() => ({
  providers: { anthropic: anthropic({ apiKey: process.env.ANTHROPIC_API_KEY }) },
  models: { fast: 'anthropic/claude-haiku-4-5' },
  authorize: 'host', // the app's own middleware in front says who may ask
}));

export const maxDuration = 300; // seconds that a serverless host gives one answer
