/** Tools and the choice among them, read and written. */
import {
  type Aliases,
  asObject,
  asText,
  type CanonicalRequest,
  type CustomTool,
  compact,
  type JsonObject,
  type Losses,
  type Tool,
  type ToolChoice,
} from '../../dialect.ts';
import { toJsonSchema } from './openapi.ts';
import type { GeminiFunction, GeminiRequest, GeminiTool } from './schema.ts';

/** The tools of a request; one entry may hold many functions and tools of the provider's beside them. */
export function decodeTools(body: GeminiRequest): Tool[] {
  return (body.tools ?? []).flatMap((tool, index) => decodeTool(tool, `tools[${index}]`));
}

function decodeTool({ functionDeclarations: functions, ...hosted }: GeminiTool, at: string): Tool[] {
  const own = Object.entries(hosted).filter(([, value]) => value !== null && value !== undefined);
  return [
    ...(functions ?? []).map((fn, index) => decodeFunction(fn, `${at}.functionDeclarations[${index}]`)),
    ...own.map(([name, value]): Tool => {
      return { type: 'hosted', dialect: 'gemini', name, value: { [name]: value }, at: `${at}.${name}` };
    }),
  ];
}

function decodeFunction(fn: GeminiFunction, at: string): Tool {
  const older = fn.parameters ? toJsonSchema(fn.parameters) : undefined;
  return compact({
    type: 'function',
    name: fn.name,
    description: fn.description ?? undefined,
    parameters: fn.parametersJsonSchema ?? older,
    at,
  });
}

/** The choice, or nothing for a mode that we do not know. */
export function decodeToolChoice({ toolConfig }: GeminiRequest): ToolChoice | undefined {
  const { mode, allowedFunctionNames: names } = toolConfig?.functionCallingConfig ?? {};
  const allowed = names ?? [];
  switch (mode?.toUpperCase()) {
    case 'NONE':
      return { type: 'none' };
    case 'ANY':
      if (allowed.length === 1) return { type: 'tool', name: String(allowed[0]) };
      return allowed.length > 1 ? { type: 'allowed', mode: 'required', names: allowed } : { type: 'required' };
    case 'AUTO':
    case 'VALIDATED':
      return allowed.length > 0 ? { type: 'allowed', mode: 'auto', names: allowed } : { type: 'auto' };
    default:
      return undefined;
  }
}

/** Members of the body that say which tools there are, and the names, as sent, of custom tools. */
export function encodeTools(
  request: CanonicalRequest,
  names: Aliases,
  losses: Losses,
): { body: JsonObject; custom: ReadonlySet<string> } {
  const offered = offeredTools(request);
  const functions = offered.flatMap((tool) => encodeTool(tool, names, losses) ?? []);
  const hosted = offered.flatMap((tool) => (tool.type === 'hosted' && tool.dialect === 'gemini' ? tool.value : []));
  const custom = offered.flatMap((tool) => (tool.type === 'custom' ? names.of(tool.name) : []));
  const tools = [...(functions.length > 0 ? [{ functionDeclarations: functions }] : []), ...hosted];
  if (request.parallelToolCalls === false)
    losses.minor('parallelToolCalls', 'the model decides how many calls it makes');
  const config = functions.length > 0 ? encodeChoice(request, names) : undefined;
  return {
    body: compact({
      tools: tools.length > 0 ? tools : undefined,
      toolConfig: config === undefined ? undefined : { functionCallingConfig: config },
    }),
    custom: new Set(custom),
  };
}

/** Names can be demanded here, but not merely allowed: then the others are not offered. */
function offeredTools({ tools, toolChoice: choice }: CanonicalRequest): readonly Tool[] {
  const isNarrow = choice?.type === 'allowed' && choice.mode === 'auto';
  return isNarrow ? tools.filter(({ name }) => choice.names.includes(name)) : tools;
}

function encodeTool(tool: Tool, names: Aliases, losses: Losses): JsonObject | undefined {
  switch (tool.type) {
    case 'function': {
      const { description, parameters } = tool;
      return compact({ name: names.of(tool.name), description, parametersJsonSchema: parameters });
    }
    case 'custom':
      return encodeCustom(tool, names, losses);
    case 'hosted':
      if (tool.dialect !== 'gemini') losses.hosted(tool, `Gemini has no ${tool.name}`);
      return undefined;
  }
}

/** Free text travels as the one string of a JSON object; its grammar becomes advice. */
function encodeCustom(tool: CustomTool, names: Aliases, losses: Losses): JsonObject {
  const { type, grammar } = asObject(tool.format) ?? {};
  const definition = type === 'grammar' ? (asText(asObject(grammar)?.definition) ?? '') : undefined;
  if (definition !== undefined)
    losses.minor(`${tool.at ?? 'tools'}.custom.format`, 'a grammar is advice to the model only');
  const description = definition === undefined ? undefined : `Text under this grammar:\n${definition}`;
  return compact({
    name: names.of(tool.name),
    description: tool.description,
    parametersJsonSchema: {
      type: 'object',
      properties: { input: compact({ type: 'string', description }) },
      required: ['input'],
    },
  });
}

const modes: Readonly<Record<'auto' | 'none' | 'required', string>> = { auto: 'AUTO', none: 'NONE', required: 'ANY' };

function encodeChoice({ toolChoice: choice }: CanonicalRequest, names: Aliases): JsonObject | undefined {
  if (choice === undefined) return undefined;
  switch (choice.type) {
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [names.of(choice.name)] };
    case 'allowed':
      if (choice.mode === 'auto') return { mode: 'AUTO' };
      return { mode: 'ANY', allowedFunctionNames: choice.names.map((name) => names.of(name)) };
    default:
      return { mode: modes[choice.type] };
  }
}
