/** What the accumulators of the official SDKs make of a stream. */
import type { ChatCompletionMessageToolCall } from 'openai/resources/chat/completions';
import { GeminiReader } from '../../support/reading/gemini.ts';
import { InteractionsReader } from '../../support/reading/interactions.ts';
import { type Call, inputOf } from '../../support/reading/reading.ts';
import { anthropic, type Body, google, interacting, openai } from './sdk.ts';

/** The text and the calls of a whole answer, or why there is none. */
export type Accumulated = { text: string; calls: readonly AccumulatedCall[] } | { failure: string };

/** A call whose arguments have been parsed. */
export type AccumulatedCall = Pick<Call, 'id' | 'name' | 'input'>;

async function chat(body: Body): Promise<Accumulated> {
  const stream = openai(body).chat.completions.stream({ model: 'a-model', messages: [] });
  const { choices } = await stream.finalChatCompletion();
  const message = (choices.find(({ index }) => index === 0) ?? choices[0])?.message;
  // The helper's type knows functions only; its accumulator takes custom tools too.
  const calls: ChatCompletionMessageToolCall[] = (message?.tool_calls ?? []).filter(Boolean);
  return { text: message?.content ?? '', calls: calls.map(chatCall) };
}

function chatCall(call: ChatCompletionMessageToolCall): AccumulatedCall {
  const { id } = call;
  return call.type === 'custom'
    ? { id, name: call.custom.name, input: call.custom.input }
    : { id, name: call.function.name, input: inputOf(call.function.arguments) };
}

async function messages(body: Body): Promise<Accumulated> {
  const stream = anthropic(body).messages.stream({ model: 'a-model', max_tokens: 1, messages: [] });
  const { content } = await stream.finalMessage();
  const calls = content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: calls.map(({ id, name, input }) => ({
      id,
      name,
      input: typeof input === 'string' ? inputOf(input) : input,
    })),
  };
}

async function responses(body: Body): Promise<Accumulated> {
  const stream = openai(body).responses.stream({ model: 'a-model', input: 'a question' });
  const { output = [] } = await stream.finalResponse();
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const calls = output.flatMap((item) => {
    if (item.type === 'function_call') return [{ id: item.call_id, name: item.name, input: inputOf(item.arguments) }];
    return item.type === 'custom_tool_call' ? [{ id: item.call_id, name: item.name, input: item.input }] : [];
  });
  return { text: parts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''), calls };
}

/** This SDK joins nothing; its users put the parts of the chunks one after another. */
async function gemini(body: Body): Promise<Accumulated> {
  const reader = new GeminiReader();
  for await (const chunk of await google(body)) reader.take(chunk);
  const { text, calls } = reader.reading.answers[0];
  return { text, calls };
}

/** This SDK joins nothing either. */
async function interactions(body: Body): Promise<Accumulated> {
  const reader = new InteractionsReader();
  for await (const event of await interacting(body)) reader.take(event);
  const { text, calls } = reader.reading.answers[0];
  return { text, calls };
}

/** The accumulators by dialect. */
export const accumulators: Readonly<Record<string, (body: Body) => Promise<Accumulated>>> = {
  chat,
  messages,
  responses,
  gemini,
  interactions,
};
