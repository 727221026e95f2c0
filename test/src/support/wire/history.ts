/** What a Responses upstream finds in the input of a request, and what it holds against it. */
import { type Scene, scenes } from '../scenes.ts';
import { cipherOf, finished, idOf, itemsOf } from './items.ts';
import { type Asked, type Look, list, object, textOf } from './wire.ts';

type Body = Asked['body'];
type Wired = Readonly<Record<string, unknown>>;

/** The items of a request's input, with those in it that it only names. */
function inputOf(body: Body): readonly Wired[] {
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : list(body.input);
  const known = knownItems(body);
  const before = body.previous_response_id === idOf('resp_', sceneOf(body)) ? [...known.values()] : [];
  return [...before, ...input.map((item) => (isNamed(item) ? (known.get(String(item.id)) ?? item) : item))];
}

function sceneOf({ model }: Body): Scene {
  return (scenes as Readonly<Record<string, Scene>>)[String(model)] ?? scenes.text;
}

/** A reference may leave its type out. */
function isReference({ type, id, role, content }: Wired): boolean {
  return type === 'item_reference' || (type === undefined && id !== undefined && (role ?? content) === undefined);
}

/** Thinking without its cipher is looked up too. */
function isNamed(item: Wired): boolean {
  return isReference(item) || (item.type === 'reasoning' && !item.encrypted_content);
}

/** What the upstream has said to this model before, by id. */
function knownItems(body: Body): ReadonlyMap<string, Wired> {
  const manner = { summary: true, encrypted: true, obfuscation: true };
  const items = itemsOf(sceneOf(body)).map((item) => finished(item, manner, 'completed') as Wired);
  return new Map(items.map((item) => [String(item.id), item]));
}

/** What is looked up in a request. */
export function look(body: Body): Look {
  const items = inputOf(body);
  const of = (type: RegExp) => items.filter((item) => type.test(String(item.type)));
  return {
    model: String(body.model),
    stream: body.stream === true,
    tools: list(body.tools).map((tool) => String(tool.name ?? tool.type)),
    stops: [],
    calls: of(/^(function|custom_tool)_call$/).map(({ call_id, name, arguments: json, input }) => ({
      id: String(call_id),
      name: String(name),
      input: input ?? JSON.parse(String(json)),
    })),
    results: of(/^(function|custom_tool)_call_output$/).map(({ call_id, output }) => ({
      id: String(call_id),
      text: textOf(output),
    })),
    signatures: of(/^reasoning$/).flatMap(({ encrypted_content: cipher }) => (cipher ? String(cipher) : [])),
    schema: object(object(body.text).format).schema,
  };
}

/** The members that a request may have (openai 6.49, ResponseCreateParams, seen 2026-11-29). */
const parameters = new Set(
  `background context_management conversation include input instructions max_output_tokens max_tool_calls metadata model
   moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options
   prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text
   tool_choice tools top_logprobs top_p truncation user`.split(/\s+/),
);

type Rule = (body: Body) => string | undefined;

const rules: readonly Rule[] = [
  (body) => {
    const unknown = Object.keys(body).find((name) => !parameters.has(name));
    return unknown && `Unknown parameter: '${unknown}'.`;
  },
  ({ input, previous_response_id: previous, prompt, conversation }) =>
    (Array.isArray(input) && input.length > 0) || typeof input === 'string' || previous || prompt || conversation
      ? undefined
      : "Missing required parameter: 'input'.",
  ({ stream, stream_options: options }) =>
    options !== undefined && options !== null && stream !== true ? "'stream_options' without 'stream'" : undefined,
  ({ max_output_tokens: most }) =>
    typeof most === 'number' && most < 16 ? "Invalid 'max_output_tokens': integer below minimum value." : undefined,
  ({ tools }) => {
    const at = list(tools).findIndex(({ type, name }) => (type === 'function' || type === 'custom') && !name);
    return at < 0 ? undefined : `Missing required parameter: 'tools[${at}].name'.`;
  },
  ({ text }) => {
    const { type, name, schema } = object(object(text).format);
    return type === 'json_schema' && !(name && schema) ? "Missing required parameter: 'text.format.name'." : undefined;
  },
  unknownResponse,
  unknownItem,
  unthought,
  uncalled,
];

/** What the upstream refuses in a request, if anything. */
export function complaint({ headers, body }: Asked): string | undefined {
  if (!String(headers.authorization).startsWith('Bearer ')) return 'no bearer key';
  for (const rule of rules) {
    const found = rule(body);
    if (found) return found;
  }
  return undefined;
}

function unknownResponse(body: Body): string | undefined {
  const { previous_response_id: previous } = body;
  if (!previous || previous === idOf('resp_', sceneOf(body))) return undefined;
  return `Previous response with id '${previous}' not found.`;
}

function unknownItem(body: Body): string | undefined {
  const known = knownItems(body);
  for (const item of list(body.input)) {
    if (!isNamed(item)) continue;
    if (!known.has(String(item.id))) return `Item with id '${item.id}' not found.`;
    if (body.store === false)
      return `Item with id '${item.id}' not found. Items are not persisted when 'store' is set to false.`;
  }
  return undefined;
}

/** Thinking comes back as it went out, with the item that it led to; and a call that is named as one's own, with its thinking. */
function unthought(body: Body): string | undefined {
  const items = inputOf(body);
  const said = itemsOf(sceneOf(body));
  const ciphers = new Set(said.map(cipherOf));
  for (const [at, { type, id, encrypted_content: cipher }] of items.entries()) {
    if (type !== 'reasoning') continue;
    if (cipher && !ciphers.has(String(cipher))) return `The encrypted content for item ${id} could not be verified.`;
    const { role, type: next } = items[at + 1] ?? {};
    if (role !== 'assistant' && !/_call$/.test(String(next)))
      return `Item '${id}' of type 'reasoning' was provided without its required following item.`;
  }
  for (const { index, id } of said) {
    const before = said[index - 1];
    const owned = items.some((item) => item.id === id);
    if (owned && before?.type === 'reasoning' && !items.some((item) => item.id === before.id))
      return `Item '${id}' was provided without its required 'reasoning' item: '${before.id}'.`;
  }
  return undefined;
}

/** Every result belongs to a call of this conversation, and every call has its result. */
function uncalled(body: Body): string | undefined {
  const { calls, results } = look(body);
  const open = new Set(calls.map(({ id }) => id));
  for (const { id } of results)
    if (!open.delete(id)) return `No tool call found for function call output with call_id ${id}.`;
  const [left] = open;
  return left === undefined ? undefined : `No tool output found for function call ${left}.`;
}
