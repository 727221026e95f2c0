import { llmGateway } from '@streamglot/koa';
import { anthropic } from '@streamglot/providers';
import Koa from 'koa';

const app = new Koa();
app.use(
  llmGateway({
    providers: { anthropic: anthropic({ apiKey: process.env.ANTHROPIC_API_KEY }) },
    models: { fast: 'anthropic/claude-haiku-4-5' },
    authorize: 'host', // the app's own middleware in front says who may ask
  }),
);
