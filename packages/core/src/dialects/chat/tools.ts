/** Tools and the choice among them, read and written. */
import {
  type Aliases,
  type CanonicalRequest,
  compact,
  entryOf,
  type FunctionTool,
  type Losses,
  required,
  type Tool,
  type ToolChoice,
} from '../../dialect.ts';
import { decodeCacheControl } from './parts.ts';
import type { ChatChoice, ChatFunction, ChatRequest, ChatTool } from './schema.ts';

/** The tools of a request, the deprecated `functions` and the search that hides in an option among them. */
export function decodeTools(body: ChatRequest): Tool[] {
  const search = body.web_search_options;
  return [
    ...(body.tools ?? []).map((tool, index) => decodeTool(tool, `tools[${index}]`)),
    ...(body.functions ?? []).map((fn, index) => decodeFunction(fn, `functions[${index}]`)),
    ...(search ? [hosted('web_search_options', search, 'web_search_options')] : []),
  ];
}

function decodeTool(tool: ChatTool, at: string): Tool {
  if (tool.type === 'custom') return decodeCustom(tool, at);
  if (tool.type !== 'function') return hosted(tool.type, { ...tool }, at);
  const cacheControl = decodeCacheControl(tool.cache_control);
  const fn = decodeFunction(required(tool.function, `${at}.function`), at);
  return cacheControl === undefined ? fn : { ...fn, cacheControl };
}

function decodeFunction(fn: ChatFunction, at: string): FunctionTool {
  return compact({
    type: 'function',
    name: fn.name,
    description: fn.description ?? undefined,
    parameters: fn.parameters ?? undefined,
    strict: fn.strict,
    at,
  });
}

function decodeCustom(tool: ChatTool, at: string): Tool {
  const { name, description, format } = required(tool.custom, `${at}.custom`);
  return compact({ type: 'custom', name, description: description ?? undefined, format: format ?? undefined, at });
}

function hosted(name: string, value: Record<string, unknown>, at: string): Tool {
  return { type: 'hosted', dialect: 'chat', name, value, at };
}

const words: Readonly<Record<string, ToolChoice>> = {
  auto: { type: 'auto' },
  none: { type: 'none' },
  required: { type: 'required' },
  /** A server's word for `required`. */
  any: { type: 'required' },
};

/** The choice in any of its forms, or nothing for a form that belongs to one server. */
export function decodeToolChoice(body: ChatRequest): ToolChoice | undefined {
  const choice = body.tool_choice ?? body.function_call;
  if (typeof choice === 'string') return words[choice];
  if (choice === null || choice === undefined) return undefined;
  return 'type' in choice ? decodeChoice(choice) : { type: 'tool', name: choice.name, kind: 'function' };
}

function decodeChoice(choice: ChatChoice): ToolChoice | undefined {
  switch (choice.type) {
    case 'allowed_tools': {
      const { mode, tools } = required(choice.allowed_tools, 'tool_choice.allowed_tools');
      return { type: 'allowed', mode, names: tools.map(nameOf) };
    }
    case 'custom':
      return { type: 'tool', name: required(choice.custom, 'tool_choice.custom').name, kind: 'custom' };
    case 'function':
    case 'tool': {
      const name = required(choice.function?.name ?? choice.name, 'tool_choice.function');
      return { type: 'tool', name, kind: 'function' };
    }
    default:
      return entryOf(words, choice.type);
  }
}

function nameOf(tool: Record<string, unknown>, index: number): string {
  const named = (tool.function ?? tool.custom ?? tool) as { name?: unknown };
  const name = typeof named.name === 'string' ? named.name : undefined;
  return required(name, `tool_choice.allowed_tools.tools[${index}].function.name`);
}

/** Members of the body that say which tools there are. */
export function encodeTools(request: CanonicalRequest, names: Aliases, losses: Losses): Record<string, unknown> {
  const tools = request.tools.flatMap((tool) => encodeTool(tool, names, losses) ?? []);
  const search = request.tools.find((tool) => tool.type === 'hosted' && tool.name === 'web_search_options');
  if (request.tools.some((tool) => tool.type === 'function' && tool.eagerInput === true))
    losses.minor('tools', 'Chat streams arguments in its own way');
  return compact({
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? encodeChoice(request, names) : undefined,
    parallel_tool_calls: tools.length > 0 ? request.parallelToolCalls : undefined,
    web_search_options: search?.type === 'hosted' && search.dialect === 'chat' ? search.value : undefined,
  });
}

function encodeTool(tool: Tool, names: Aliases, losses: Losses): Record<string, unknown> | undefined {
  switch (tool.type) {
    case 'function': {
      const { description, parameters } = tool;
      const strict = tool.strict ?? undefined;
      return { type: 'function', function: compact({ name: names.of(tool.name), description, parameters, strict }) };
    }
    case 'custom': {
      const { description, format } = tool;
      return { type: 'custom', custom: compact({ name: names.of(tool.name), description, format }) };
    }
    case 'hosted':
      if (tool.dialect !== 'chat') losses.hosted(tool, `Chat has no ${tool.name} tool`);
      return tool.dialect === 'chat' && tool.name !== 'web_search_options' ? { ...tool.value } : undefined;
  }
}

function encodeChoice({ toolChoice: choice, tools }: CanonicalRequest, names: Aliases): unknown {
  switch (choice?.type) {
    case 'tool':
      return named(choice.name, choice.kind ?? kindOf(tools, choice.name), names);
    case 'allowed':
      return {
        type: 'allowed_tools',
        allowed_tools: {
          mode: choice.mode,
          tools: choice.names.map((name) => named(name, kindOf(tools, name), names)),
        },
      };
    default:
      return choice?.type;
  }
}

function kindOf(tools: readonly Tool[], name: string): 'function' | 'custom' {
  return tools.some((tool) => tool.type === 'custom' && tool.name === name) ? 'custom' : 'function';
}

function named(name: string, kind: 'function' | 'custom', names: Aliases): Record<string, unknown> {
  return { type: kind, [kind]: { name: names.of(name) } };
}
