/** The official Anthropic SDK: its raw stream, its accumulating helper and its tool runner. */
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import type {
  Message,
  MessageCreateParamsStreaming,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  Usage,
} from '@anthropic-ai/sdk/resources/messages';
import { TOOL } from '../scenes.ts';
import { type Ask, type Client, client, DESCRIPTION, heard, INPUT, parsed, type Seen, weatherIn } from './client.ts';

const family = { dialect: 'messages', family: 'anthropic' } as const;

function sdk({ base }: Ask): Anthropic {
  return new Anthropic({ apiKey: 'test-key', baseURL: base, maxRetries: 0 });
}

function params({ model, prompt, tools, think, stop, wrong }: Ask): MessageCreateParamsStreaming {
  return {
    model,
    max_tokens: 4096,
    messages: [{ role: 'user', content: prompt }],
    stream: true,
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

  #start(index: number, block: { type: string; id?: string; name?: string }): void {
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
  seen.reasoning = of('thinking')
    .map((block) => block.thinking)
    .join('');
  seen.signatures = of('thinking')
    .map((block) => block.signature)
    .filter((signature) => signature !== '');
  seen.calls = of('tool_use').map(({ id, name, input }) => ({ id, name, input }));
}

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

const toolRunner = client({ name: 'anthropic toolRunner', ...family, loops: 'always' }, async (ask, seen) => {
  const run = (input: unknown) => {
    seen.calls.push({ name: TOOL, input });
    return weatherIn(input);
  };
  const tool = betaTool({ name: TOOL, description: DESCRIPTION, inputSchema: INPUT, run });
  const { tools: _, ...rest } = params(ask);
  const runner = sdk(ask).beta.messages.toolRunner(
    { ...rest, stream: true, max_iterations: 4, tools: [tool] },
    options(ask),
  );
  for await (const stream of runner)
    for await (const event of stream)
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') heard(event.delta.text, ask, seen);
  const said = await runner.done();
  ending(said as unknown as Message, seen);
  seen.reasoning = said.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('');
  seen.signatures = said.content.flatMap((block) =>
    block.type === 'thinking' && block.signature ? block.signature : [],
  );
});

/** The ways of the Anthropic SDK to read Messages. */
export const anthropic: readonly Client[] = [raw, helper, toolRunner];
