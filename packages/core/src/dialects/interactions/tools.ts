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
  required,
  type Tool,
  type ToolChoice,
} from '../../dialect.ts';
import type { InteractionsRequest, InteractionsTool } from './schema.ts';

/** The tools of a request. */
export function decodeTools(body: InteractionsRequest): Tool[] {
  return (body.tools ?? []).map((tool, index) => decodeTool(tool, `tools[${index}]`));
}

function decodeTool(tool: InteractionsTool, at: string): Tool {
  if (tool.type !== 'function')
    return { type: 'hosted', dialect: 'interactions', name: tool.type, value: { ...tool }, at };
  return compact({
    type: 'function',
    name: required(tool.name || undefined, `${at}.name`),
    description: tool.description ?? undefined,
    parameters: tool.parameters ?? undefined,
    at,
  });
}

/** The choice, or nothing for a word that we do not know. */
export function decodeToolChoice({ generation_config: config }: InteractionsRequest): ToolChoice | undefined {
  const choice = config?.tool_choice;
  if (typeof choice === 'string') return choiceOf(choice, []);
  const { mode, tools } = choice?.allowed_tools ?? {};
  return choice ? choiceOf(mode ?? 'auto', tools ?? []) : undefined;
}

function choiceOf(mode: string, names: readonly string[]): ToolChoice | undefined {
  switch (mode.toLowerCase()) {
    case 'none':
      return { type: 'none' };
    case 'any':
      if (names.length === 1) return { type: 'tool', name: String(names[0]) };
      return names.length > 1 ? { type: 'allowed', mode: 'required', names } : { type: 'required' };
    case 'auto':
    case 'validated':
      return names.length > 0 ? { type: 'allowed', mode: 'auto', names } : { type: 'auto' };
    default:
      return undefined;
  }
}

/** The tools and the choice among them as they are sent, and the names, as sent, of custom tools. */
export function encodeTools(
  request: CanonicalRequest,
  names: Aliases,
  losses: Losses,
): { tools: readonly JsonObject[] | undefined; choice: unknown; custom: ReadonlySet<string> } {
  const tools = request.tools.flatMap((tool): readonly JsonObject[] => encodeTool(tool, names, losses));
  const custom = request.tools.flatMap((tool) => (tool.type === 'custom' ? names.of(tool.name) : []));
  if (request.parallelToolCalls === false)
    losses.minor('parallelToolCalls', 'the model decides how many calls it makes');
  const choice = tools.length > 0 ? encodeChoice(request, names) : undefined;
  return { tools: tools.length > 0 ? tools : undefined, choice, custom: new Set(custom) };
}

function encodeTool(tool: Tool, names: Aliases, losses: Losses): readonly JsonObject[] {
  switch (tool.type) {
    case 'function': {
      const { description, parameters } = tool;
      return [compact({ type: 'function', name: names.of(tool.name), description, parameters })];
    }
    case 'custom':
      return [encodeCustom(tool, names, losses)];
    case 'hosted':
      if (tool.dialect === 'interactions') return [{ ...tool.value }];
      losses.hosted(tool, `Interactions has no ${tool.name}`);
      return [];
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
    type: 'function',
    name: names.of(tool.name),
    description: tool.description,
    parameters: {
      type: 'object',
      properties: { input: compact({ type: 'string', description }) },
      required: ['input'],
    },
  });
}

const modes: Readonly<Record<'auto' | 'none' | 'required', string>> = { auto: 'auto', none: 'none', required: 'any' };

function encodeChoice({ toolChoice: choice }: CanonicalRequest, names: Aliases): unknown {
  if (choice === undefined) return undefined;
  if (choice.type !== 'tool' && choice.type !== 'allowed') return modes[choice.type];
  const tools = choice.type === 'tool' ? [choice.name] : choice.names;
  const mode = choice.type === 'allowed' && choice.mode === 'auto' ? 'auto' : 'any';
  return { allowed_tools: { mode, tools: tools.map((name) => names.of(name)) } };
}
