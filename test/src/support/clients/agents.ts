/** OpenAI's agents SDK over Chat and Responses: it runs the tools itself. */
import {
  Agent,
  type AgentOutputItem,
  type Model,
  type ModelResponse,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import * as z from 'zod';
import { TOOL } from '../scenes.ts';
import { type Ask, type Client, client, DESCRIPTION, heard, parsed, type Seen, weatherIn } from './client.ts';
import { sdk } from './openai.ts';

setTracingDisabled(true);

type Speaker = Pick<Client, 'dialect' | 'throws'> & { modelOf: (ask: Ask) => Model };

const speakers: Readonly<Record<string, Speaker>> = {
  'agents chat': {
    dialect: 'chat',
    throws: { refusal: 'ModelRefusalError' },
    modelOf: (ask) => new OpenAIChatCompletionsModel(sdk(ask), ask.model),
  },
  'agents responses': {
    dialect: 'responses',
    throws: { refusal: 'ModelRefusalError', length: 'ModelBehaviorError', content_filter: 'ModelBehaviorError' },
    modelOf: (ask) => new OpenAIResponsesModel(sdk(ask), ask.model),
  },
};

const weather = tool({
  name: TOOL,
  description: DESCRIPTION,
  parameters: z.object({ city: z.string(), unit: z.enum(['celsius', 'fahrenheit']) }),
  execute: weatherIn,
});

function agentOf(model: Model, { think, stop }: Ask): Agent {
  const settings = {
    ...(think && { reasoning: { effort: 'low' as const, summary: 'auto' as const } }),
    ...(stop && { providerData: { stop } }),
  };
  return new Agent({ name: 'forecaster', model, tools: [weather], modelSettings: settings });
}

function told(responses: readonly ModelResponse[], seen: Seen): void {
  for (const item of responses.flatMap(({ output }) => output)) said(item, seen);
  seen.usage = {
    input: responses.reduce((sum, { usage }) => sum + usage.inputTokens, 0),
    output: responses.reduce((sum, { usage }) => sum + usage.outputTokens, 0),
  };
}

function said(item: AgentOutputItem, seen: Seen): void {
  if (item.type === 'function_call')
    seen.calls.push({ id: item.callId, name: item.name, input: parsed(item.arguments) });
  if (item.type === 'reasoning')
    for (const { text } of [...item.content, ...(item.rawContent ?? [])]) seen.reasoning += text;
  for (const part of partsOf(item)) if (part.type === 'refusal') seen.refusal += part.refusal;
}

/** The parts of what the assistant said. */
function partsOf(item: AgentOutputItem): readonly { type: string; text?: string; refusal?: string }[] {
  return item.type === 'message' && item.role === 'assistant' ? item.content : [];
}

async function read(model: Model, ask: Ask, seen: Seen): Promise<void> {
  const options = { stream: true as const, maxTurns: 3, ...(ask.signal && { signal: ask.signal }) };
  const result = await run(agentOf(model, ask), ask.prompt, options);
  for await (const event of result)
    if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta')
      heard(event.data.delta, ask, seen);
  await result.completed;
  if (result.error) throw result.error;
  told(result.rawResponses, seen);
}

async function take(model: Model, ask: Ask, seen: Seen): Promise<void> {
  const options = { maxTurns: 3, ...(ask.signal && { signal: ask.signal }) };
  const { rawResponses } = await run(agentOf(model, ask), ask.prompt, options);
  for (const item of rawResponses.flatMap(({ output }) => output))
    for (const part of partsOf(item)) if (part.type === 'output_text') heard(part.text ?? '', ask, seen);
  told(rawResponses, seen);
}

/** The ways of the agents SDK. */
export const agents: readonly Client[] = Object.entries(speakers).flatMap(([name, { modelOf, ...more }]) => {
  const of = { ...more, family: 'agents', loops: 'always', namesNoModel: true } as const;
  return [
    client({ name, ...of }, (ask, seen) => read(modelOf(ask), ask, seen)),
    client({ name: `${name}, whole`, ...of, whole: true }, (ask, seen) => take(modelOf(ask), ask, seen)),
  ];
});
