import { anthropic } from '@streamglot/providers';
import { createGateway } from '@streamglot/web';

const gateway = createGateway({
  providers: { anthropic: anthropic({ apiKey: process.env.ANTHROPIC_API_KEY }) },
  models: { fast: 'anthropic/claude-haiku-4-5' },
  authorize: 'host', // the app's own middleware in front says who may ask
});

export default { fetch: gateway.fetch }; // Bun, workers; Deno.serve(gateway.fetch)
