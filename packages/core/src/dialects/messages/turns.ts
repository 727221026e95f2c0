/** The conversation, read and written; Messages wants the sides in turn, results first, and nothing empty. */
import type { CanonicalRequest, JsonObject, Part, SystemText, Turn } from '../../dialect.ts';
import { decodeCacheControl, decodeContent, encodeParts, marked, type Writing } from './parts.ts';
import type { MessagesBlock, MessagesRequest } from './schema.ts';

/** What a conversation holds. */
export interface Conversation {
  system: SystemText[];
  turns: Turn[];
  untranslated: NonNullable<CanonicalRequest['untranslated']>;
}

/** Instructions and turns of a request; neighbours of one side are one turn. */
export function decodeTurns(body: MessagesRequest): Conversation {
  const reader = new TurnReader();
  if (body.system) reader.instruct(body.system, 'system');
  body.messages.forEach(({ role, content }, index) => {
    const at = `messages[${index}].content`;
    if (role === 'system') reader.instruct(content, at);
    else reader.add(role, decodeContent(content, at), at);
  });
  return reader;
}

class TurnReader implements Conversation {
  readonly system: SystemText[] = [];
  readonly turns: (Turn & { parts: Part[] })[] = [];
  readonly untranslated: { field: string; severity: 'severe' }[] = [];
  /** An instruction stands behind the last turn: the next message opens a new one. */
  #divided = false;

  add(role: Turn['role'], parts: readonly Part[], at: string): void {
    const last = this.turns.at(-1);
    if (last?.role === role && !this.#divided) last.parts.push(...parts);
    else this.turns.push({ role, parts: [...parts], at });
    this.#divided = false;
  }

  instruct(content: string | readonly MessagesBlock[], at: string): void {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    blocks.forEach((block, index) => {
      this.#instruction(block, typeof content === 'string' ? at : `${at}[${index}]`);
    });
    this.#divided = true;
  }

  /** Instructions may also offer and withdraw tools, which no other dialect can. */
  #instruction(block: MessagesBlock, at: string): void {
    if (block.type !== 'text') this.untranslated.push({ field: at, severity: 'severe' });
    else if (block.text) {
      const before = this.turns.length > 0 ? { before: this.turns.length } : {};
      const cacheControl = decodeCacheControl(block.cache_control);
      this.system.push({ role: 'system', text: block.text, at, ...before, ...(cacheControl && { cacheControl }) });
    }
  }
}

interface WireMessage {
  role: string;
  content: JsonObject[];
}

/** The members `system` and `messages` of a request. */
export function encodeTurns(request: CanonicalRequest, writing: Writing): JsonObject {
  const messages = request.turns.reduce<WireMessage[]>((written, turn, index) => {
    if (writing.own) pushAll(written, encodeStanding(request, index, writing));
    return push(written, encodeTurn(turn, writing));
  }, []);
  if (writing.own) pushAll(messages, encodeStanding(request, request.turns.length, writing));
  const system = encodeSystem(request, writing);
  trimEnd(messages.at(-1));
  return openWithUser(system, messages, writing);
}

/** Neighbours of one role become one message; a message of nothing is none. */
function push(messages: WireMessage[], message: WireMessage): WireMessage[] {
  const last = messages.at(-1);
  if (last?.role === message.role) last.content.push(...message.content);
  else if (message.content.length > 0) messages.push(message);
  return messages;
}

function pushAll(messages: WireMessage[], more: readonly WireMessage[]): void {
  for (const message of more) push(messages, message);
}

/** Results stand first: the API wants them directly behind their calls. */
function encodeTurn(turn: Turn, writing: Writing): WireMessage {
  const results = turn.parts.filter(({ type }) => type === 'tool_result');
  const rest = turn.parts.filter(({ type }) => type !== 'tool_result');
  if (turn.name !== undefined) writing.losses.minor(`${turn.at ?? 'turns'}.name`, 'Messages has no names of speakers');
  return { role: turn.role, content: encodeParts([...results, ...rest], writing) };
}

/** Instructions among the turns are taken by few models (from Opus 4.8 on; platform.claude.com, seen 2026-11-29) and
 * under rules of place, so only a client that speaks Messages has them there; for others they go to the top. */
function encodeStanding(request: CanonicalRequest, before: number, { own }: Writing): WireMessage[] {
  const standing = request.system.filter((text) => own && before > 0 && text.before === before);
  return standing.length > 0 ? [{ role: 'system', content: standing.map(encodeInstruction) }] : [];
}

function encodeSystem(request: CanonicalRequest, { own, losses }: Writing): JsonObject[] {
  const moved = request.system.filter(({ before }) => before);
  if (!own) for (const { at } of moved) losses.minor(at ?? 'system', 'moved before the conversation');
  return request.system.filter((text) => (!own || !text.before) && text.text.trim() !== '').map(encodeInstruction);
}

function encodeInstruction({ text, cacheControl }: SystemText): JsonObject {
  return marked({ type: 'text', text }, cacheControl);
}

/** The API refuses white space at the end of an answer that it is to continue. */
function trimEnd(message: WireMessage | undefined): void {
  const last = message?.content.at(-1);
  if (message?.role === 'assistant' && typeof last?.text === 'string') last.text = last.text.trimEnd();
}

/** A conversation begins with the user; one of instructions alone has them said by the user. */
function openWithUser(system: readonly JsonObject[], messages: readonly WireMessage[], writing: Writing): JsonObject {
  const top = system.length > 0 ? { system } : {};
  if (messages[0]?.role === 'user') return { ...top, messages };
  writing.losses.minor('turns', 'Messages lets the user begin');
  if (messages.length === 0) return { messages: [{ role: 'user', content: system }] };
  return {
    ...top,
    messages: [{ role: 'user', content: [{ type: 'text', text: '(The conversation so far.)' }] }, ...messages],
  };
}
