/** The conversation, read and written: Chat spreads one turn over several messages, one for each tool result. */
import {
  type Aliases,
  asText,
  type CanonicalRequest,
  compact,
  Ids,
  type Losses,
  legalId,
  type NativePart,
  type Part,
  required,
  type SystemText,
  type ToolCallPart,
  type ToolResultPart,
  type Turn,
} from '../../dialect.ts';
import { carrierOf, detailsOf, extraContent, idForm } from './carried.ts';
import { decodeCacheControl, decodeContent, encodeParts, type WirePart } from './parts.ts';
import type { ChatCall, ChatMessage } from './schema.ts';

/** Instructions and turns of a conversation; neighbours of one side are one turn. */
export function decodeTurns(messages: readonly ChatMessage[]): { system: SystemText[]; turns: Turn[] } {
  const reader = new TurnReader();
  messages.forEach((message, index) => {
    reader.read(message, `messages[${index}]`);
  });
  return { system: reader.system, turns: reader.turns };
}

class TurnReader {
  readonly system: SystemText[] = [];
  readonly turns: (Turn & { parts: Part[] })[] = [];
  /** An instruction stands behind the last turn: the next message opens a new one. */
  #divided = false;
  /** Calls in the deprecated form, which have names instead of ids, waiting for their results. */
  readonly #legacy: { name: string; id: string }[] = [];

  read(message: ChatMessage, at: string): void {
    switch (message.role) {
      case 'system':
      case 'developer':
        return this.#instruct(message, message.role, at);
      case 'assistant':
        return this.#add('assistant', this.#assistant(message, at), at, message.name);
      case 'tool':
        return this.#add('user', [this.#result(message, required(message.tool_call_id, `${at}.tool_call_id`), at)], at);
      case 'function':
        return this.#add('user', [this.#result(message, this.#idOf(required(message.name, `${at}.name`), at), at)], at);
      case 'user':
        return this.#add(
          'user',
          decodeContent(required(message.content, `${at}.content`), `${at}.content`),
          at,
          message.name,
        );
    }
  }

  #add(role: Turn['role'], parts: readonly Part[], at: string, name?: string | null): void {
    const last = this.turns.at(-1);
    if (last?.role === role && !this.#divided && last.name === (name ?? undefined)) last.parts.push(...parts);
    else this.turns.push({ role, parts: [...parts], at, ...(name && { name }) });
    this.#divided = false;
  }

  #instruct(message: ChatMessage, role: SystemText['role'], at: string): void {
    const before = this.turns.length > 0 ? { before: this.turns.length } : {};
    const parts = decodeContent(required(message.content, `${at}.content`), `${at}.content`);
    const marked = decodeCacheControl(message.cache_control);
    for (const part of parts) {
      const cacheControl = part.cacheControl ?? (part === parts.at(-1) ? marked : undefined);
      if (part.type === 'text')
        this.system.push({
          role,
          text: part.text,
          at: part.at ?? at,
          ...before,
          ...(cacheControl && { cacheControl }),
        });
    }
    this.#divided = true;
  }

  #assistant(message: ChatMessage, at: string): Part[] {
    const reasoning = asText(message.reasoning_content) ?? asText(message.reasoning);
    return [
      ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning, at } as const]),
      ...decodeContent(message.content, `${at}.content`),
      ...(message.refusal ? [{ type: 'refusal', text: message.refusal, at } as const] : []),
      ...(message.audio
        ? [{ type: 'native', dialect: 'chat', name: 'audio', value: message.audio, at: `${at}.audio` } as const]
        : []),
      ...(message.tool_calls ?? []).map((call, index) => decodeCall(call, `${at}.tool_calls[${index}]`)),
      ...this.#legacyCall(message, at),
    ];
  }

  #legacyCall({ function_call: call }: ChatMessage, at: string): ToolCallPart[] {
    if (!call) return [];
    const id = new Ids(at).invent('call_');
    this.#legacy.push({ name: call.name, id });
    return [
      { type: 'tool_call', id, name: call.name, kind: 'function', input: call.arguments, at: `${at}.function_call` },
    ];
  }

  #idOf(name: string, at: string): string {
    const index = this.#legacy.findIndex((call) => call.name === name);
    return index === -1 ? new Ids(at).invent('call_') : (this.#legacy.splice(index, 1)[0]?.id ?? '');
  }

  #result(message: ChatMessage, callId: string, at: string): ToolResultPart {
    const content = decodeContent(message.content, `${at}.content`);
    const cacheControl = decodeCacheControl(message.cache_control);
    const name = message.name ?? undefined;
    return compact({ type: 'tool_result', callId, name, content: content.map(resultPart), cacheControl, at });
  }
}

/** Kinds that no tool result has elsewhere stay readable as JSON. */
function resultPart(part: Part): ToolResultPart['content'][number] {
  if (part.type === 'text' || part.type === 'image' || part.type === 'document') return part;
  return { type: 'text', text: JSON.stringify(part.type === 'native' ? part.value : part) };
}

function decodeCall(call: ChatCall, at: string): ToolCallPart {
  const { id } = call;
  const signature = carrierOf(call);
  const signed = signature === undefined ? {} : { signature };
  if (call.custom)
    return { type: 'tool_call', id, name: call.custom.name, kind: 'custom', input: call.custom.input, at, ...signed };
  const { name, arguments: input } = required(call.function, `${at}.function`);
  return { type: 'tool_call', id, name, kind: 'function', input: input ?? '', at, ...signed };
}

type WireMessage = Record<string, unknown>;

/** The messages of a request. `own` says that the reasoning in it came from a Chat client. */
export function encodeTurns(request: CanonicalRequest, own: boolean, names: Aliases, losses: Losses): WireMessage[] {
  const messages = encodeSystem(request.system.filter(({ before }) => !before));
  request.turns.forEach((turn, index) => {
    const standing = encodeSystem(request.system.filter(({ before }) => index > 0 && before === index));
    if (turn.role === 'assistant') messages.push(...standing, encodeAssistant(turn, own, names, losses));
    else messages.push(...encodeUser(turn, standing, losses));
  });
  const last = Math.max(request.turns.length, 1);
  return [...messages, ...encodeSystem(request.system.filter(({ before }) => before !== undefined && before >= last))];
}

/** Neighbours of one role make one message: not every server takes system content as an array. */
function encodeSystem(system: readonly SystemText[]): WireMessage[] {
  const messages: { role: string; content: string }[] = [];
  for (const { role, text } of system) {
    const last = messages.at(-1);
    if (last?.role === role) last.content += `\n\n${text}`;
    else messages.push({ role, content: text });
  }
  return messages;
}

/** Results come first: nothing may stand between calls and their results, instructions included. */
function encodeUser(turn: Turn, standing: readonly WireMessage[], losses: Losses): WireMessage[] {
  const results = turn.parts.filter((part) => part.type === 'tool_result');
  const moved = results.flatMap((result) => encodeMedia(result, losses));
  const said = turn.parts.filter((part) => part.type !== 'tool_result');
  const content = contentOf([...moved, ...encodeParts(said, losses)]);
  const silent = content === '' && results.length > 0;
  return [
    ...results.map(encodeResult),
    ...standing,
    ...(silent ? [] : [compact({ role: 'user', content, name: turn.name })]),
  ];
}

function contentOf(parts: readonly WirePart[]): unknown {
  const [first] = parts;
  if (first === undefined) return '';
  return parts.length === 1 && first.type === 'text' ? first.text : parts;
}

/** Chat has no sign for a failed call, so the text says it. */
function encodeResult({ callId, content, isError }: ToolResultPart): WireMessage {
  const text = content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
  return { role: 'tool', tool_call_id: legalId(callId, idForm), content: isError === true ? `Error: ${text}` : text };
}

/** What a tool gave beside text moves into the user's next message: a tool message takes text only. */
function encodeMedia({ callId, content, at }: ToolResultPart, losses: Losses): WirePart[] {
  const media = encodeParts(
    content.filter((part) => part.type !== 'text'),
    losses,
  );
  if (media.length === 0) return [];
  losses.minor(at ?? 'messages', 'a Chat tool message takes text only: the rest stands in a user message');
  return [{ type: 'text', text: `Also returned by tool call ${legalId(callId, idForm)}:` }, ...media];
}

function encodeAssistant(turn: Turn, own: boolean, names: Aliases, losses: Losses): WireMessage {
  const calls = turn.parts.filter((part) => part.type === 'tool_call');
  const refusal = turn.parts.flatMap((part) => (part.type === 'refusal' ? part.text : [])).join('');
  const text = textOf(turn, losses);
  for (const part of turn.parts) reportLost(part, own, losses);
  return compact({
    role: 'assistant',
    content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
    name: turn.name,
    refusal: refusal === '' ? undefined : refusal,
    reasoning_content: asText(reasoningOf(turn, own)),
    reasoning_details: detailsOf(turn),
    audio: turn.parts.flatMap((part) => (isAudio(part) ? part.value : []))[0],
    tool_calls: calls.length > 0 ? calls.map((call) => encodeCall(call, names)) : undefined,
  });
}

/** Neighbouring texts are pieces of one text (Messages cuts it at citations); others are paragraphs. */
function textOf(turn: Turn, losses: Losses): string {
  let text = '';
  turn.parts.forEach((part, index) => {
    if (part.type !== 'text') return;
    const before = turn.parts[index - 1]?.type;
    if (before === 'tool_call') losses.minor(part.at ?? 'messages', 'Chat keeps no order of text and calls');
    text += text === '' || before === 'text' ? part.text : `\n\n${part.text}`;
  });
  return text;
}

function isAudio(part: Part): part is NativePart {
  return part.type === 'native' && part.dialect === 'chat' && part.name === 'audio';
}

/** Thinking in plain words; some servers want it back with the calls that it led to. */
function reasoningOf(turn: Turn, own: boolean): string {
  const thoughts = turn.parts.filter((part) => part.type === 'reasoning' && (own || part.replay));
  return thoughts.flatMap((part) => (part.type === 'reasoning' ? (part.text ?? []) : [])).join('\n\n');
}

/** Official Chat refuses unknown members of a message, so foreign reasoning stays behind; so do foreign server tools. */
function reportLost(part: Part, own: boolean, losses: Losses): void {
  const at = part.at ?? 'messages';
  if (part.type === 'reasoning' && !own && !part.replay && (part.signature ?? part.encrypted) === undefined)
    losses.minor(at, 'Chat takes no reasoning of earlier turns');
  if (part.type === 'image' || part.type === 'audio' || part.type === 'document')
    losses.severe(at, `Chat takes no ${part.type} from the assistant`);
  if (part.type !== 'native' || part.dialect === 'chat') return;
  if (/tool_(use|result)$/.test(part.name)) losses.minor(at, 'Chat takes no calls of server tools; their text stays');
  else losses.severe(at, `Chat has no ${part.name}`);
}

function encodeCall(call: ToolCallPart, names: Aliases): WireMessage {
  const id = legalId(call.id, idForm);
  const name = names.of(call.name);
  const signed = call.signature === undefined ? {} : extraContent(call.signature);
  return call.kind === 'custom'
    ? { id, type: 'custom', custom: { name, input: call.input }, ...signed }
    : { id, type: 'function', function: { name, arguments: call.input === '' ? '{}' : call.input }, ...signed };
}
