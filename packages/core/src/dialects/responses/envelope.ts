/** The Response object around the output: every required member, and the request's echo, serialised once. */
import { asObject, type CanonicalError, type EncoderOptions, type JsonObject, type Usage } from '../../dialect.ts';
import { errorBody } from './error.ts';
import { completeUsage, encodeUsage } from './usage.ts';

/** What a Response says where the request did not ask for anything (reference, client-required fields, seen 2026-11-29). */
const defaults: Readonly<Record<string, unknown>> = {
  background: false,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  store: false,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
  access_programs: null,
};

/** Members that name earlier answers. */
const names = ['previous_response_id', 'conversation'] as const;

/** What changes from one state of a response to the next. */
export interface State {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  /** The output as JSON; empty unless told. */
  output?: string;
  usage?: Usage | undefined;
  error?: CanonicalError;
  incomplete?: string;
}

/** The members of a response that stay the same from its first event to its last. */
export class Envelope {
  #id = '';
  #model: string;
  #createdAt: number;
  #serviceTier: unknown;
  readonly #echo: string;
  /** What the request said and its upstream was not told, for it got in full what these name. */
  readonly #named: JsonObject;

  constructor({ context }: EncoderOptions) {
    const { service_tier: tier, ...echo }: JsonObject = { ...defaults, ...context?.echo };
    this.#model = context?.model ?? '';
    this.#createdAt = context?.startedAt ?? 0;
    this.#serviceTier = tier ?? 'default';
    this.#echo = JSON.stringify(echo).slice(1, -1);
    this.#named = Object.fromEntries(names.map((name) => [name, echo[name]]).filter(([, value]) => value != null));
  }

  /** Takes over what the first event says; the client's own name of the model stays. */
  begin(id: string, model: string | undefined, createdAt: number | undefined, serviceTier?: string): void {
    this.#id = id;
    this.#model ||= model ?? 'unknown';
    this.#createdAt = createdAt || this.#createdAt;
    this.#serviceTier = serviceTier ?? this.#serviceTier;
  }

  /** Sets right what a client needs of a relayed response; returns whether anything was wrong. */
  complete(response: JsonObject, renamed: boolean): boolean {
    const { object, created_at: createdAt, output } = response;
    response.object = 'response';
    if (typeof createdAt !== 'number') response.created_at = this.#createdAt;
    if (!Array.isArray(output)) response.output = [];
    const model = response.model;
    const unnamed = typeof model !== 'string' || model === '';
    if (unnamed || (renamed && model !== this.#model)) response.model = this.#model || 'unknown';
    const same = object === response.object && createdAt === response.created_at && output === response.output;
    return completeUsage(response.usage) || !same || response.model !== model;
  }

  /** Puts back into a relayed response the names that its upstream was not told; returns whether there were any. */
  restate(response: JsonObject): boolean {
    const lost = Object.entries(this.#named).filter(
      ([name]) => response[name] === undefined || response[name] === null,
    );
    Object.assign(response, Object.fromEntries(lost));
    return lost.length > 0;
  }

  /** The response in a state, as JSON. */
  json({ status, output = '[]', usage, error, incomplete }: State): string {
    const head = JSON.stringify({
      id: this.#id,
      object: 'response',
      created_at: this.#createdAt,
      status,
      error: error === undefined ? null : failure(error),
      incomplete_details: incomplete === undefined ? null : { reason: incomplete },
      model: this.#model,
      service_tier: this.#serviceTier,
      usage: usage === undefined ? null : encodeUsage(usage),
    }).slice(0, -1);
    return `${head},${this.#echo},"output":${output}}`;
  }
}

/** The error as a failed response holds it. */
function failure(error: CanonicalError): JsonObject {
  const { code, message } = asObject(errorBody(error)) ?? {};
  return { code, message };
}
