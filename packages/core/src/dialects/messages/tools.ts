/** Tools and the choice among them, read and written. */
import {
  type Aliases,
  asObject,
  asText,
  type CanonicalRequest,
  type CustomTool,
  compact,
  entryOf,
  type FunctionTool,
  type JsonObject,
  type Losses,
  type OutputFormat,
  required,
  type Tool,
  type ToolChoice,
} from '../../dialect.ts';
import { decodeCacheControl, marked } from './parts.ts';
import { isKnownOfTool, type MessagesRequest, type MessagesTool } from './schema.ts';

/** The tools of a request. */
export function decodeTools(body: MessagesRequest): Tool[] {
  return (body.tools ?? []).map((tool, index) => decodeTool(tool, `tools[${index}]`));
}

/** A type other than `custom` names a tool that Anthropic defined; whoever runs it, only Messages knows its schema. */
function isHosted(tool: MessagesTool): boolean {
  return Boolean(tool.type) && tool.type !== 'custom';
}

function decodeTool(tool: MessagesTool, at: string): Tool {
  if (isHosted(tool))
    return { type: 'hosted', dialect: 'messages', name: tool.name ?? tool.type ?? '', value: { ...tool }, at };
  return compact({
    type: 'function',
    name: required(tool.name, `${at}.name`),
    description: tool.description ?? undefined,
    parameters: required(tool.input_schema, `${at}.input_schema`),
    strict: tool.strict ?? undefined,
    cacheControl: decodeCacheControl(tool.cache_control),
    eagerInput: tool.eager_input_streaming ?? undefined,
    at,
  });
}

/** Members of tools with a schema that no other dialect has, such as `defer_loading`. */
export function untranslatedOfTools(body: MessagesRequest): { field: string; severity: 'minor' }[] {
  return (body.tools ?? []).flatMap((tool, index) =>
    Object.keys(isHosted(tool) ? {} : tool)
      .filter((member) => !isKnownOfTool(member))
      .map((member) => ({ field: `tools[${index}].${member}`, severity: 'minor' }) as const),
  );
}

const words: Readonly<Record<string, ToolChoice>> = {
  auto: { type: 'auto' },
  none: { type: 'none' },
  any: { type: 'required' },
};

/** The choice, or nothing for a form that we do not know. */
export function decodeToolChoice({ tool_choice: choice }: MessagesRequest): ToolChoice | undefined {
  if (choice?.type === 'tool') return { type: 'tool', name: required(choice.name, 'tool_choice.name') };
  return choice ? entryOf(words, choice.type) : undefined;
}

/** The tools as they are sent, and what must be undone in the answer. */
export interface WrittenTools {
  /** Members of the body. */
  body: JsonObject;
  /** Whether the model has to call a tool. */
  forced: boolean;
  /** Names, as sent, of custom tools. */
  custom: ReadonlySet<string>;
  /** Name of the tool whose arguments are the answer. */
  jsonTool?: string;
}

/** Writes tools and choice; an answer in JSON that `output_config.format` cannot ask for becomes a tool too. */
export function encodeTools(request: CanonicalRequest, names: Aliases, losses: Losses): WrittenTools {
  const offered = offeredTools(request);
  const tools = offered.flatMap((tool) => encodeTool(tool, names, losses) ?? []);
  const answer = answerTool(request, names);
  const choice =
    answer === undefined ? encodeChoice(request, names) : answerChoice(request, tools, String(answer.name));
  const all = answer === undefined ? tools : [...tools, answer];
  const custom = offered.flatMap((tool) => (tool.type === 'custom' ? names.of(tool.name) : []));
  return {
    body: all.length === 0 ? {} : { tools: all, ...withParallel(choice, request.parallelToolCalls) },
    forced: all.length > 0 && (choice?.type === 'any' || choice?.type === 'tool'),
    custom: new Set(custom),
    ...(answer && { jsonTool: String(answer.name) }),
  };
}

/** Messages has no list of allowed tools: the others are not offered. */
function offeredTools({ tools, toolChoice: choice }: CanonicalRequest): readonly Tool[] {
  return choice?.type === 'allowed' ? tools.filter(({ name }) => choice.names.includes(name)) : tools;
}

function encodeTool(tool: Tool, names: Aliases, losses: Losses): JsonObject | undefined {
  switch (tool.type) {
    case 'function':
      return marked(encodeFunction(tool, names), tool.cacheControl);
    case 'custom':
      return encodeCustom(tool, names, losses);
    case 'hosted':
      if (tool.dialect !== 'messages') losses.hosted(tool, `Messages has no ${tool.name}`);
      return tool.dialect === 'messages' ? { ...tool.value } : undefined;
  }
}

function encodeFunction(tool: FunctionTool, names: Aliases): JsonObject {
  return compact({
    name: names.of(tool.name),
    description: tool.description,
    input_schema: { type: 'object', ...(tool.parameters ?? { properties: {} }) },
    strict: tool.strict === true ? true : undefined,
    eager_input_streaming: tool.eagerInput,
  });
}

/** Free text travels as the one string of a JSON object; its grammar becomes advice. */
function encodeCustom(tool: CustomTool, names: Aliases, losses: Losses): JsonObject {
  const advice = grammarOf(tool);
  if (advice !== undefined)
    losses.minor(`${tool.at ?? 'tools'}.custom.format`, 'a grammar is advice to the model only');
  return compact({
    name: names.of(tool.name),
    description: tool.description,
    input_schema: {
      type: 'object',
      properties: { input: compact({ type: 'string', description: advice }) },
      required: ['input'],
      additionalProperties: false,
    },
  });
}

function grammarOf({ format }: CustomTool): string | undefined {
  const { type, grammar } = asObject(format) ?? {};
  if (type !== 'grammar') return undefined;
  const { syntax, definition } = asObject(grammar) ?? {};
  return `Text under this ${asText(syntax) ?? ''} grammar:\n${asText(definition) ?? ''}`;
}

function encodeChoice({ toolChoice: choice }: CanonicalRequest, names: Aliases): JsonObject | undefined {
  switch (choice?.type) {
    case 'tool':
      return { type: 'tool', name: names.of(choice.name) };
    case 'required':
      return { type: 'any' };
    case 'allowed':
      return { type: choice.mode === 'required' ? 'any' : 'auto' };
    default:
      return choice === undefined ? undefined : { type: choice.type };
  }
}

/** One call at a time is a member of the choice; `none` has no such member. */
function withParallel(choice: JsonObject | undefined, parallel: boolean | undefined): JsonObject {
  if (parallel !== false || choice?.type === 'none') return choice === undefined ? {} : { tool_choice: choice };
  return { tool_choice: { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true } };
}

/** A tool that takes the answer, where text in JSON is asked for and neither a closed schema nor another tool is. */
function answerTool({ output, tools, toolChoice: choice }: CanonicalRequest, names: Aliases): JsonObject | undefined {
  if (output === undefined || output.type === 'text' || formatOf(output) !== undefined) return undefined;
  if (mustCall(choice)) return undefined;
  const free = ['json_answer', 'json_answer_2'].find((name) => tools.every((tool) => tool.name !== name));
  return {
    name: names.of(free ?? 'json_answer_3'),
    description: (output.type === 'json_schema' && output.description) || 'Takes the whole answer as one JSON object.',
    input_schema: { type: 'object', ...(output.type === 'json_schema' ? output.schema : {}) },
  };
}

function mustCall(choice: ToolChoice | undefined): boolean {
  return (
    choice?.type === 'tool' || choice?.type === 'required' || (choice?.type === 'allowed' && choice.mode === 'required')
  );
}

/** The answer is one of the tools to call where there are others, else the only one. */
function answerChoice({ toolChoice: choice }: CanonicalRequest, tools: readonly unknown[], answer: string): JsonObject {
  return tools.length > 0 && choice?.type !== 'none' ? { type: 'any' } : { type: 'tool', name: answer };
}

/** `output_config.format`, which takes closed schemas only: each object says `additionalProperties: false`
 * (platform.claude.com, structured outputs, seen 2026-11-29). */
export function formatOf(output: OutputFormat | undefined): JsonObject | undefined {
  if (output?.type !== 'json_schema' || !isClosed(output.schema)) return undefined;
  return { type: 'json_schema', schema: output.schema };
}

function isClosed(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  const { type, properties, additionalProperties } = schema as JsonObject;
  const open = (type === 'object' || properties !== undefined) && additionalProperties !== false;
  return !open && Object.values(schema).every(isClosed);
}
