/** The official OpenAI SDK over Responses: its raw stream, its accumulating helper, and whole answers. */
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInput,
  ResponseOutputItem,
  ResponseStreamEvent,
  Tool,
} from 'openai/resources/responses/responses';
import { CUSTOM_TOOL, TOOL } from '../scenes.ts';
import {
  type Ask,
  type Client,
  CUSTOM_DESCRIPTION,
  client,
  DESCRIPTION,
  heard,
  INPUT,
  parsed,
  type Seen,
  weatherIn,
} from './client.ts';
import { options, sdk } from './openai.ts';

const family = { dialect: 'responses', family: 'responses', custom: true } as const;

/** Nothing is left with the server: whoever wants its thinking back asks for it encrypted. */
function params(ask: Ask, input: ResponseInput): Omit<ResponseCreateParamsNonStreaming, 'stream'> {
  const { model, think, wrong } = ask;
  const tools = toolsOf(ask);
  return {
    model,
    input,
    store: false,
    ...(tools.length > 0 && { tools }),
    ...(think && { reasoning: { effort: 'low', summary: 'auto' }, include: ['reasoning.encrypted_content'] }),
    ...wrong,
  };
}

function toolsOf({ tools, custom }: Ask): Tool[] {
  const definition = { name: TOOL, description: DESCRIPTION, parameters: INPUT, strict: true };
  return [
    ...(tools ? [{ type: 'function', ...definition } as const] : []),
    ...(custom ? [{ type: 'custom', name: CUSTOM_TOOL, description: CUSTOM_DESCRIPTION } as const] : []),
  ];
}

function event(said: ResponseStreamEvent, ask: Ask, seen: Seen): void {
  switch (said.type) {
    case 'response.output_text.delta':
      return heard(said.delta, ask, seen);
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      seen.reasoning += said.delta;
      return;
    case 'response.refusal.delta':
      seen.refusal += said.delta;
      return;
    case 'response.output_text.annotation.added': {
      const { url } = said.annotation as { url?: string };
      if (url !== undefined) seen.citations.push(url);
    }
  }
}

/** What only the Response at the end says. */
function ending({ model, status, incomplete_details: details, usage, output }: Response, seen: Seen): void {
  seen.model = model;
  seen.finish = details ? `${status} ${details.reason}` : status;
  if (usage)
    seen.usage = {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cached: usage.input_tokens_details.cached_tokens,
      reasoning: usage.output_tokens_details.reasoning_tokens,
    };
  seen.calls.push(...output.flatMap(callOf));
  seen.signatures.push(
    ...output.flatMap((item) => (item.type === 'reasoning' && item.encrypted_content ? item.encrypted_content : [])),
  );
}

function callOf(item: ResponseOutputItem): Seen['calls'] {
  if (item.type === 'function_call') return [{ id: item.call_id, name: item.name, input: parsed(item.arguments) }];
  return item.type === 'custom_tool_call' ? [{ id: item.call_id, name: item.name, input: item.input }] : [];
}

/** Everything that a whole Response says. */
function told(response: Response, ask: Ask, seen: Seen): void {
  for (const item of response.output) {
    if (item.type === 'reasoning')
      for (const { text } of [...item.summary, ...(item.content ?? [])]) seen.reasoning += text;
    if (item.type !== 'message') continue;
    for (const part of item.content) {
      if (part.type === 'refusal') seen.refusal += part.refusal;
      else {
        heard(part.text, ask, seen);
        seen.citations.push(...part.annotations.flatMap((known) => (known.type === 'url_citation' ? known.url : [])));
      }
    }
  }
  ending(response, seen);
}

/** Asks, and where the client is to go on by itself, runs the calls and asks again with all that was said. */
async function converse(ask: Ask, turn: (input: ResponseInput) => Promise<Response | undefined>): Promise<void> {
  const input: ResponseInput = [{ role: 'user', content: ask.prompt }];
  for (let turns = 0; turns < 3; turns++) {
    const said = await turn(input);
    const calls = said?.output.filter((item) => item.type === 'function_call') ?? [];
    if (!ask.loop || said === undefined || calls.length === 0) return;
    input.push(...(said.output as ResponseInput));
    for (const { call_id, arguments: json } of calls)
      input.push({ type: 'function_call_output', call_id, output: weatherIn(JSON.parse(json)) });
  }
}

const raw = client({ name: 'openai responses', ...family, loops: 'asked' }, (ask, seen) =>
  converse(ask, async (input) => {
    let last: Response | undefined;
    for await (const said of await sdk(ask).responses.create({ ...params(ask, input), stream: true }, options(ask))) {
      event(said, ask, seen);
      if (said.type === 'response.completed' || said.type === 'response.incomplete') last = said.response;
    }
    if (last !== undefined) ending(last, seen);
    return last;
  }),
);

const helper = client({ name: 'openai responses.stream()', ...family, loops: 'asked' }, (ask, seen) =>
  converse(ask, async (input) => {
    const { text } = seen;
    const stream = sdk(ask).responses.stream(params(ask, input), options(ask));
    stream.on('event', (said) => event(said, ask, seen));
    const said = await stream.finalResponse();
    if (text + said.output_text !== seen.text) throw new Error(`the response says ${said.output_text}`);
    ending(said, seen);
    // What the helper parsed is its own; the API takes back what it said.
    return { ...said, output: said.output.map(unparsed) };
  }),
);

function unparsed(item: object): ResponseOutputItem {
  const { parsed_arguments: _, ...wire } = item as ResponseOutputItem & { parsed_arguments?: unknown };
  return wire;
}

const whole = client({ name: 'openai responses, whole', ...family, loops: 'asked', whole: true }, (ask, seen) =>
  converse(ask, async (input) => {
    const said = await sdk(ask).responses.create(params(ask, input), options(ask));
    told(said, ask, seen);
    return said;
  }),
);

/** The ways of the OpenAI SDK to read Responses. */
export const responses: readonly Client[] = [raw, helper, whole];
