/** What the chunks of a Gemini stream say. */
import { count, list, object, text, type Wired } from '../json.ts';
import { AnswerDraft, type CallDraft, type End, type Reader, type Reading, type Tokens, tokensOf } from './reading.ts';

const ends: Readonly<Record<string, End>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  TOO_MANY_TOOL_CALLS: 'pause',
  ...Object.fromEntries(
    [
      'SAFETY',
      'BLOCKLIST',
      'PROHIBITED_CONTENT',
      'SPII',
      'RECITATION',
      'LANGUAGE',
      'ESCALATION',
      'PUP_LIMITED_DISABLED',
      'MODEL_ARMOR',
      'IMAGE_SAFETY',
      'IMAGE_PROHIBITED_CONTENT',
      'IMAGE_RECITATION',
    ].map((word) => [word, 'content_filter' as const]),
  ),
  ...Object.fromEntries(
    ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE', 'MISSING_THOUGHT_SIGNATURE'].map(
      (word) => [word, 'error' as const],
    ),
  ),
};

/** A call whose arguments come at paths. */
interface OpenCall {
  call: CallDraft;
  args: Record<string, unknown>;
}

/** Reads chunks. */
export class GeminiReader implements Reader {
  readonly #answers = new Map<number, AnswerDraft>();
  readonly #open = new Map<number, OpenCall>();
  #usage: Wired | undefined;
  #error: string | undefined;
  #blocked: string | undefined;

  take(chunk: unknown): void {
    const { error, candidates, usageMetadata, promptFeedback } = object(chunk);
    if (error !== undefined) this.#error ??= text(object(error).message) || 'error';
    if (usageMetadata !== undefined) this.#usage = { ...this.#usage, ...object(usageMetadata) };
    this.#blocked ??= text(object(promptFeedback).blockReason) || undefined;
    for (const [at, candidate] of list(candidates).entries())
      this.#candidate(typeof candidate.index === 'number' ? candidate.index : at, candidate);
  }

  get reading(): Reading {
    if (this.#answers.size === 0) this.#answerAt(0);
    const answers = [...this.#answers].sort(([a], [b]) => a - b).map(([, draft]) => this.#ended(draft));
    return {
      answers: answers as unknown as Reading['answers'],
      usage: countsOf(this.#usage),
      error: this.#error,
      misused: undefined,
    };
  }

  #ended(draft: AnswerDraft): Reading['answers'][0] {
    const { answer } = draft;
    if (answer.end === undefined && this.#blocked !== undefined)
      return { ...answer, end: 'content_filter', word: this.#blocked };
    return answer.end === 'stop' && answer.calls.length > 0 ? { ...answer, end: 'tool_calls' } : answer;
  }

  #answerAt(index: number): AnswerDraft {
    const draft = this.#answers.get(index) ?? new AnswerDraft();
    this.#answers.set(index, draft);
    return draft;
  }

  #candidate(index: number, candidate: Wired): void {
    const draft = this.#answerAt(index);
    for (const part of list(object(candidate.content).parts)) this.#part(index, draft, part);
    const reason = candidate.finishReason;
    if (reason === undefined || reason === null) return;
    draft.word = reason === 1 ? 'STOP' : String(reason);
    draft.end = ends[draft.word] ?? 'other';
  }

  #part(index: number, draft: AnswerDraft, part: Wired): void {
    if (typeof part.text === 'string' && part.thought === true) draft.think(part.text);
    else if (typeof part.text === 'string') draft.text += part.text;
    if (part.functionCall !== undefined) this.#call(index, draft, object(part.functionCall));
  }

  /** A piece has a name only where the call begins. */
  #call(index: number, draft: AnswerDraft, wire: Wired): void {
    let open = this.#open.get(index);
    if (text(wire.name) !== '' || open === undefined) {
      if (text(wire.name) === '') return;
      const call = draft.call(draft.calls.length);
      call.id = text(wire.id) || undefined;
      call.name = text(wire.name);
      open = { call, args: {} };
    }
    Object.assign(open.args, object(wire.args));
    for (const piece of list(wire.partialArgs)) put(open.args, piece);
    open.call.json = JSON.stringify(open.args);
    if (wire.willContinue === true) this.#open.set(index, open);
    else this.#open.delete(index);
  }
}

/** Puts a value where its path says; texts of one place are joined. */
function put(root: Record<string, unknown>, piece: Wired): void {
  const steps = text(piece.jsonPath).match(/[^.[\]'"$]+/g) ?? [];
  let place: Record<string, unknown> = root;
  for (const [at, step] of steps.slice(0, -1).entries()) {
    place[step] ??= /^\d+$/.test(steps[at + 1] ?? '') ? [] : {};
    place = place[step] as Record<string, unknown>;
  }
  const last = steps.at(-1) ?? '';
  const value = piece.stringValue ?? piece.numberValue ?? piece.boolValue ?? null;
  place[last] = typeof place[last] === 'string' && typeof value === 'string' ? place[last] + value : value;
}

/** Thoughts stand beside the candidates' tokens, and what tools gave beside the prompt's. */
function countsOf(usage: Wired | undefined): Tokens | undefined {
  const main = ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount'];
  if (usage === undefined || !main.some((name) => typeof usage[name] === 'number')) return undefined;
  return tokensOf({
    input: count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount),
    output: count(usage.candidatesTokenCount) + count(usage.thoughtsTokenCount),
    cached: usage.cachedContentTokenCount,
    reasoning: usage.thoughtsTokenCount,
  });
}
