/** Tools and the choice among them, read and written. */
import {
  type Aliases,
  asObject,
  type CanonicalRequest,
  type CustomTool,
  compact,
  entryOf,
  type JsonObject,
  type Losses,
  required,
  type Tool,
  type ToolChoice,
} from '../../dialect.ts';
import type { ResponsesChoice, ResponsesRequest, ResponsesTool } from './schema.ts';

/** The tools of a request. */
export function decodeTools(body: ResponsesRequest): Tool[] {
  return (body.tools ?? []).map((tool, index) => decodeTool(tool, `tools[${index}]`));
}

function decodeTool(tool: ResponsesTool, at: string): Tool {
  const description = tool.description ?? undefined;
  switch (tool.type) {
    case 'function': {
      const name = required(tool.name, `${at}.name`);
      const parameters = tool.parameters ?? undefined;
      return compact({ type: 'function', name, description, parameters, strict: tool.strict, at });
    }
    case 'custom': {
      const name = required(tool.name, `${at}.name`);
      return compact({ type: 'custom', name, description, format: nested(tool.format), at });
    }
    default:
      return { type: 'hosted', dialect: 'responses', name: tool.type, value: { ...tool }, at };
  }
}

/** A grammar is flat here; the canonical form is Chat's, which nests it. */
function nested(format: ResponsesTool['format']): unknown {
  if (format?.type !== 'grammar') return format ?? undefined;
  const { type, ...grammar } = format;
  return { type, grammar };
}

function flat(format: unknown): unknown {
  const { type, grammar } = asObject(format) ?? {};
  return type === 'grammar' ? { type, ...asObject(grammar) } : format;
}

const words: Readonly<Record<string, ToolChoice>> = {
  auto: { type: 'auto' },
  none: { type: 'none' },
  required: { type: 'required' },
};

/** The choice, or nothing for a form that names a tool of one provider. */
export function decodeToolChoice({ tool_choice: choice }: ResponsesRequest): ToolChoice | undefined {
  if (typeof choice === 'string') return entryOf(words, choice);
  return choice ? decodeChoice(choice) : undefined;
}

function decodeChoice(choice: ResponsesChoice): ToolChoice | undefined {
  switch (choice.type) {
    case 'function':
    case 'custom':
      return { type: 'tool', name: required(choice.name, 'tool_choice.name'), kind: choice.type };
    case 'allowed_tools': {
      const names = (choice.tools ?? []).map(({ name }) => (typeof name === 'string' ? name : undefined));
      if (names.includes(undefined)) return undefined;
      return { type: 'allowed', mode: choice.mode ?? 'auto', names: names.filter((name) => name !== undefined) };
    }
    default:
      return undefined;
  }
}

/** Members of the body that say which tools there are. */
export function encodeTools(request: CanonicalRequest, names: Aliases, losses: Losses): JsonObject {
  const tools = request.tools.flatMap((tool) => encodeTool(tool, names, losses) ?? []);
  if (tools.length === 0) return {};
  return compact({
    tools,
    tool_choice: encodeChoice(request, names),
    parallel_tool_calls: request.parallelToolCalls,
  });
}

/** An absent `strict` means true here and false elsewhere. */
function encodeTool(tool: Tool, names: Aliases, losses: Losses): JsonObject | undefined {
  switch (tool.type) {
    case 'function': {
      const { type, description, strict } = tool;
      const parameters = tool.parameters ?? { type: 'object', properties: {} };
      return compact({ type, name: names.of(tool.name), description, parameters, strict: strict ?? false });
    }
    case 'custom':
      return encodeCustom(tool, names);
    case 'hosted':
      if (tool.dialect !== 'responses') losses.hosted(tool, `Responses has no ${tool.name} tool`);
      return tool.dialect === 'responses' ? { ...tool.value } : undefined;
  }
}

function encodeCustom({ type, name, description, format }: CustomTool, names: Aliases): JsonObject {
  return compact({ type, name: names.of(name), description, format: flat(format) });
}

function encodeChoice({ toolChoice: choice, tools }: CanonicalRequest, names: Aliases): unknown {
  const kindOf = (name: string): string =>
    tools.some((tool) => tool.type === 'custom' && tool.name === name) ? 'custom' : 'function';
  switch (choice?.type) {
    case 'tool':
      return { type: choice.kind ?? kindOf(choice.name), name: names.of(choice.name) };
    case 'allowed':
      return {
        type: 'allowed_tools',
        mode: choice.mode,
        tools: choice.names.map((name) => ({ type: kindOf(name), name: names.of(name) })),
      };
    default:
      return choice?.type;
  }
}
