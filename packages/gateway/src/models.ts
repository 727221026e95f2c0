/** The list of models in the form that the asking client knows. */
import type { DialectId } from '@streamglot/core';
import { unknownModel } from './error.ts';
import type { Model } from './model.ts';
import type { Route } from './routes.ts';

interface Form {
  one(model: Model): Readonly<Record<string, unknown>>;
  list(models: readonly Model[]): Readonly<Record<string, unknown>>;
}

/** OpenAI's: platform.openai.com/docs/api-reference/models (2026-11-29). The release date is not known here. */
const openai: Form = {
  one: ({ name, owner }) => ({ id: name, object: 'model', created: 0, owned_by: owner }),
  list: (models) => ({ object: 'list', data: models.map(openai.one) }),
};

/** Anthropic's: docs.anthropic.com/en/api/models-list (2026-11-29). An epoch date stands for an unknown one. */
const anthropic: Form = {
  one: ({ name }) => ({ type: 'model', id: name, display_name: name, created_at: '1970-01-01T00:00:00Z' }),
  list: (models) => ({
    data: models.map(anthropic.one),
    has_more: false,
    first_id: models[0]?.name ?? null,
    last_id: models.at(-1)?.name ?? null,
  }),
};

/** Google's: ai.google.dev/api/models (2026-11-29). Limits are not known here. */
const google: Form = {
  one: ({ name }) => ({
    name: `models/${name}`,
    displayName: name,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  }),
  list: (models) => ({ models: models.map(google.one) }),
};

const forms: Readonly<Partial<Record<DialectId, Form>>> = { messages: anthropic, gemini: google };

/** The body that answers a request for all models or for one. Throws `GatewayError` (404) for one that is not there. */
export function modelsBody(route: Route, models: ReadonlyMap<string, Model>): Readonly<Record<string, unknown>> {
  const form = forms[route.dialect.id] ?? openai;
  if (route.model === undefined) return form.list([...models.values()]);
  return form.one(modelNamed(route.model, models));
}

/** The model of that name. Throws `GatewayError` (404). */
export function modelNamed(name: string, models: ReadonlyMap<string, Model>): Model {
  const model = models.get(name);
  if (model === undefined) throw unknownModel(name);
  return model;
}
