/** The official Anthropic SDK: its raw stream, its accumulating helper and its tool runner. */
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import type {
  Message,
  MessageCreateParamsNonStreaming,
  MessageCreateParamsStreaming,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  TextCitation,
  Usage,
} from '@anthropic-ai/sdk/resources/messages';
import { TOOL } from '../scenes.ts';
import { type Ask, type Client, client, DESCRIPTION, heard, INPUT, parsed, type Seen, weatherIn } from './client.ts';

const family = { dialect: 'messages', family: 'anthropic' } as const;

function sdk({ base, fetch }: Ask): Anthropic {
  return new Anthropic({ apiKey: 'test-key', baseURL: base, maxRetries: 0, ...(fetch && { fetch }) });
}

function params(ask: Ask): MessageCreateParamsStreaming {
  return { ...wholeParams(ask), stream: true };
}

function wholeParams({ model, prompt, tools, think, stop, wrong }: Ask): MessageCreateParamsNonStreaming {
  return {
    model,
    max_tokens: 4096,
    messages: [{ role: 'user', content: prompt }],
    ...(tools && { tools: [{ name: TOOL, description: DESCRIPTION, input_schema: INPUT }] }),
    ...(think && { thinking: { type: 'enabled', budget_tokens: 1024 } }),
    ...(stop && { stop_sequences: [...stop] }),
    ...wrong,
  };
}

function options({ signal }: Ask): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

type Counters = Pick<Usage, 'input_tokens' | 'output_tokens'> & Partial<Usage>;

function usageOf(usage: Counters): Seen['usage'] {
  const cached = usage.cache_read_input_tokens ?? 0;
  return {
    input: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
    output: usage.output_tokens,
    cached,
    reasoning: usage.output_tokens_details?.thinking_tokens,
  };
}

class RawReader {
  readonly #jsons = new Map<number, string>();
  readonly #ask: Ask;
  readonly #seen: Seen;
  #usage: Counters | undefined;

  constructor(ask: Ask, seen: Seen) {
    this.#ask = ask;
    this.#seen = seen;
  }

  event(event: RawMessageStreamEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#seen.model = event.message.model;
        this.#usage = event.message.usage;
        return;
      case 'content_block_start':
        return this.#start(event.index, event.content_block);
      case 'content_block_delta':
        return this.#delta(event.index, event.delta);
      case 'message_delta':
        return this.#end(event);
    }
  }

  #start(index: number, block: { type: string; id?: string; name?: string; data?: string }): void {
    if (block.type === 'redacted_thinking') this.#seen.signatures.push(block.data ?? '');
    if (block.type !== 'tool_use') return;
    this.#jsons.set(index, '');
    this.#seen.calls.push({ id: block.id, name: block.name ?? '', input: index });
  }

  #delta(index: number, delta: RawContentBlockDelta): void {
    switch (delta.type) {
      case 'text_delta':
        return heard(delta.text, this.#ask, this.#seen);
      case 'thinking_delta':
        this.#seen.reasoning += delta.thinking;
        return;
      case 'signature_delta':
        this.#seen.signatures.push(delta.signature);
        return;
      case 'citations_delta':
        this.#seen.citations.push(...urlOf(delta.citation));
        return;
      case 'input_json_delta':
        this.#jsons.set(index, (this.#jsons.get(index) ?? '') + delta.partial_json);
    }
  }

  #end({ delta, usage }: Extract<RawMessageStreamEvent, { type: 'message_delta' }>): void {
    const seen = this.#seen;
    seen.finish = delta.stop_reason;
    seen.stopSequence = delta.stop_sequence;
    seen.refusal = refusalOf(delta);
    const told = Object.entries(usage).filter(([, count]) => count !== null && count !== undefined);
    seen.usage = usageOf({ ...this.#usage, ...Object.fromEntries(told) } as Counters);
  }

  done(): void {
    for (const call of this.#seen.calls) call.input = parsed(this.#jsons.get(call.input as number) || '{}');
  }
}

function urlOf(citation: TextCitation): string[] {
  return citation.type === 'web_search_result_location' ? [citation.url] : [];
}

/** A refusal says why in `stop_details`. */
function refusalOf({ stop_details }: Pick<Message, 'stop_details'>): string {
  return stop_details?.type === 'refusal' ? (stop_details.explanation ?? '') : '';
}

const raw = client({ name: 'anthropic', ...family, loops: 'never' }, async (ask, seen) => {
  const reader = new RawReader(ask, seen);
  for await (const event of await sdk(ask).messages.create(params(ask), options(ask))) reader.event(event);
  reader.done();
});

function message(said: Message, seen: Seen): void {
  const of = <T extends Message['content'][number]['type']>(type: T) =>
    said.content.filter((block): block is Extract<Message['content'][number], { type: T }> => block.type === type);
  const text = of('text').map((block) => block.text);
  if (text.join('') !== seen.text) throw new Error(`the message says ${text.join('')}`);
  seen.citations = of('text').flatMap(({ citations }) => (citations ?? []).flatMap(urlOf));
  seen.reasoning = of('thinking')
    .map((block) => block.thinking)
    .join('');
  seen.signatures = opaqueOf(said.content);
  seen.calls = of('tool_use').map(({ id, name, input }) => ({ id, name, input }));
}

/** Signatures and redacted thinking. */
function opaqueOf(content: readonly { type: string; signature?: string; data?: unknown }[]): string[] {
  return content.flatMap(({ type, signature, data }) => {
    if (type === 'thinking' && signature) return signature;
    return type === 'redacted_thinking' ? String(data) : [];
  });
}

const whole = client({ name: 'anthropic, whole', ...family, loops: 'never', whole: true }, async (ask, seen) => {
  const said = await sdk(ask).messages.create(wholeParams(ask), options(ask));
  for (const block of said.content) if (block.type === 'text') heard(block.text, ask, seen);
  message(said, seen);
  ending(said, seen);
});

function ending(
  said: Pick<Message, 'model' | 'stop_reason' | 'stop_sequence' | 'stop_details' | 'usage'>,
  seen: Seen,
): void {
  seen.model = said.model;
  seen.finish = said.stop_reason;
  seen.stopSequence = said.stop_sequence;
  seen.refusal = refusalOf(said);
  seen.usage = usageOf(said.usage);
}

const helper = client({ name: 'anthropic .stream()', ...family, loops: 'never' }, async (ask, seen) => {
  const stream = sdk(ask).messages.stream(params(ask), options(ask));
  stream.on('text', (delta) => heard(delta, ask, seen));
  const said = await stream.finalMessage();
  message(said, seen);
  ending(said, seen);
});

function runnable(seen: Seen) {
  const run = (input: unknown) => {
    seen.calls.push({ name: TOOL, input });
    return weatherIn(input);
  };
  return betaTool({ name: TOOL, description: DESCRIPTION, inputSchema: INPUT, run });
}

const toolRunner = client({ name: 'anthropic toolRunner', ...family, loops: 'always' }, async (ask, seen) => {
  const { tools: _, ...rest } = params(ask);
  const runner = sdk(ask).beta.messages.toolRunner(
    { ...rest, stream: true, max_iterations: 4, tools: [runnable(seen)] },
    options(ask),
  );
  for await (const stream of runner)
    for await (const event of stream)
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') heard(event.delta.text, ask, seen);
  lastOf((await runner.done()) as unknown as Message, seen);
});

const toolRunnerWhole = client(
  { name: 'anthropic toolRunner, whole', ...family, loops: 'always', whole: true },
  async (ask, seen) => {
    const { tools: _, ...rest } = wholeParams(ask);
    const body = { ...rest, max_iterations: 4, tools: [runnable(seen)] };
    const runner = sdk(ask).beta.messages.toolRunner(body, options(ask));
    for await (const said of runner)
      for (const block of said.content) if (block.type === 'text') heard(block.text, ask, seen);
    lastOf((await runner.done()) as unknown as Message, seen);
  },
);

function lastOf(said: Message, seen: Seen): void {
  ending(said, seen);
  seen.reasoning = said.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('');
  seen.signatures = opaqueOf(said.content);
  seen.citations = said.content.flatMap((block) =>
    block.type === 'text' ? (block.citations ?? []).flatMap(urlOf) : [],
  );
}

/** The ways of the Anthropic SDK to read Messages. */
export const anthropic: readonly Client[] = [raw, helper, toolRunner, whole, toolRunnerWhole];
