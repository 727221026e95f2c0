/** Text, refusal and reasoning of one choice: runs that follow one another, whatever members they come in. */
import {
  asArray,
  asObject,
  asText,
  type Citation,
  type DecoderOptions,
  type JsonObject,
  type Stretch,
  ThinkTags,
} from '../../dialect.ts';
import { decodeLogprobs } from './logprobs.ts';
import type { Sink } from './sink.ts';

type RunKind = 'text' | 'refusal' | 'reasoning';

const NO_RUN = -1;

/** Reads the runs of one choice. */
export class Runs {
  readonly #choice: number;
  readonly #sink: Sink;
  readonly #tags: ThinkTags | undefined;
  #sofar: string | undefined;
  #block = NO_RUN;
  #kind: RunKind = 'text';
  /** Whether there was answer text. */
  answered = false;
  /** Whether there was refusal text. */
  refused = false;

  constructor(choice: number, sink: Sink, { extractThinkTags, cumulativeDeltas }: DecoderOptions) {
    this.#choice = choice;
    this.#sink = sink;
    if (extractThinkTags === true) this.#tags = new ThinkTags();
    if (cumulativeDeltas === true) this.#sofar = '';
  }

  /** Reads what a delta says in words; `last` says that the choice ends with it. */
  read(delta: JsonObject, logprobs: JsonObject | undefined, last: boolean): void {
    this.#reason(delta);
    const { content, refusal } = delta;
    if (this.#tags !== undefined || this.#sofar !== undefined) this.#revise(delta, last);
    else if (Array.isArray(content)) this.#parts(content, delta);
    else if (asObject(content) !== undefined) this.#parts([content], delta);
    else if (typeof content === 'string') this.#say('text', content, logprobs?.content);
    if (typeof refusal === 'string') this.#say('refusal', refusal, logprobs?.refusal);
  }

  /** Adds a citation to the text. */
  cite(citation: Citation): void {
    this.#sink.put(this.#run('text'), { type: 'citation', citation });
  }

  /** Ends the run, because something else begins. */
  stop(): void {
    if (this.#block !== NO_RUN) this.#sink.shut(this.#block);
    this.#block = NO_RUN;
  }

  /** What may have been the beginning of a tag, and was none. */
  rest(): void {
    for (const stretch of this.#tags?.push('', true) ?? []) this.#sayStretch(stretch);
  }

  #say(kind: 'text' | 'refusal', text: string, logprobs: unknown): void {
    const tokens = logprobs === undefined ? undefined : decodeLogprobs(logprobs);
    if (text === '' && (tokens === undefined || this.#block === NO_RUN || this.#kind !== kind)) return;
    if (kind === 'text') this.answered = true;
    else this.refused = true;
    const block = this.#run(kind);
    this.#sink.put(block, tokens === undefined ? { type: 'text', text } : { type: 'text', text, logprobs: tokens });
  }

  #think(text: string, form: 'raw' | 'summary'): void {
    this.#sink.put(this.#run('reasoning'), { type: 'reasoning', text, form });
  }

  #sayStretch({ thinking, text }: Stretch): void {
    if (thinking) this.#think(text, 'raw');
    else this.#say('text', text, undefined);
  }

  #run(kind: RunKind): number {
    if (this.#block !== NO_RUN && this.#kind === kind) return this.#block;
    this.stop();
    this.#kind = kind;
    this.#block = this.#sink.open(this.#choice, kind);
    return this.#block;
  }

  /** Servers repeat the same reasoning in several members: the first that has text counts. */
  #reason(delta: JsonObject): void {
    const member = reasoningMembers.find((name) => textIn(delta[name]) !== undefined);
    const text = member === undefined ? this.#blocks(delta) : textIn(delta[member]);
    if (text !== undefined) this.#think(text, 'raw');
    if (member !== undefined && text !== undefined) this.#show(delta, member, text);
    const signed = asArray(delta.thinking_blocks).find((block) => asText(asObject(block)?.signature) !== undefined);
    if (signed !== undefined) this.#sign(String(asObject(signed)?.signature));
    if (delta.reasoning_details !== undefined) this.#details(asArray(delta.reasoning_details), text !== undefined);
  }

  /** Thinking that comes only in blocks of another dialect, where no client looks for it. */
  #blocks(delta: JsonObject): string | undefined {
    const text = asArray(delta.thinking_blocks)
      .map((block) => asText(asObject(block)?.thinking) ?? '')
      .join('');
    if (text === '' || delta.reasoning_details !== undefined) return undefined;
    this.#sink.mend();
    delta.reasoning_content = text;
    return text;
  }

  /** Clients take the first member that is there, be it empty, and only text. */
  #show(delta: JsonObject, member: string, text: string): void {
    const hiding = reasoningMembers.slice(0, reasoningMembers.indexOf(member)).filter((name) => delta[name] === '');
    if (delta[member] === text && hiding.length === 0) return;
    this.#sink.mend();
    delta[member] = text;
    for (const name of hiding) delete delta[name];
  }

  #details(details: readonly unknown[], told: boolean): void {
    for (const wire of details) {
      const detail = asObject(wire) ?? {};
      const text = asText(detail.text);
      const summary = asText(detail.summary);
      const signature = asText(detail.signature);
      if (!told && text !== undefined) this.#think(text, 'raw');
      else if (!told && summary !== undefined) this.#think(summary, 'summary');
      if (signature !== undefined) this.#sign(signature);
      if (asText(detail.data) !== undefined) this.#sink.note('reasoning_encrypted', detail, this.#choice);
    }
  }

  /** A signature belongs to the reasoning before it; one that comes after text is left to the frame. */
  #sign(value: string): void {
    if (this.#block !== NO_RUN && this.#kind !== 'reasoning') return;
    this.#sink.put(this.#run('reasoning'), { type: 'signature', value, mode: 'set' });
  }

  /** Content in typed parts, which the protocol's own clients cannot read: it goes on as text. */
  #parts(parts: readonly unknown[], delta: JsonObject): void {
    const stretches = parts.flatMap((part) => stretchesOf(part));
    this.#mend(delta, stretches);
    for (const stretch of stretches) this.#sayStretch(stretch);
  }

  /** Text that is not to be taken as it came: it repeats itself, or holds reasoning between tags. */
  #revise(delta: JsonObject, last: boolean): void {
    const content = asText(delta.content) ?? '';
    const text = this.#sofar === undefined ? content : this.#news(content);
    const stretches = this.#tags?.push(text, last) ?? [{ thinking: false, text }];
    const said = stretches.filter((stretch) => !stretch.thinking).map((stretch) => stretch.text);
    if (said.join('') !== content) this.#mend(delta, stretches);
    for (const stretch of stretches) this.#sayStretch(stretch);
  }

  #news(content: string): string {
    const before = this.#sofar ?? '';
    const news = content.startsWith(before) ? content.slice(before.length) : content;
    this.#sofar = before + news;
    this.#sink.keep(news.length);
    return news;
  }

  #mend(delta: JsonObject, stretches: readonly Stretch[]): void {
    const joined = (thinking: boolean): string =>
      stretches.map((stretch) => (stretch.thinking === thinking ? stretch.text : '')).join('');
    this.#sink.mend();
    delta.content = joined(false);
    if (joined(true) !== '') delta.reasoning_content = joined(true);
  }
}

/** The members in which servers send reasoning as text, in order of preference. */
const reasoningMembers: readonly string[] = ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking'];

/** A text, or the text of an object around it. */
function textIn(value: unknown): string | undefined {
  const { content, text } = asObject(value) ?? {};
  const listed = asArray(value).map((entry) => textIn(entry) ?? '');
  return asText(value) ?? asText(content) ?? asText(text) ?? asText(listed.join(''));
}

const reasoningParts: ReadonlySet<unknown> = new Set(['reasoning', 'reasoning_text', 'thinking']);

/** What a typed part says; `thinking` holds a text or parts of its own. */
function stretchesOf(wire: unknown): Stretch[] {
  if (typeof wire === 'string') return [{ thinking: false, text: wire }];
  const part = asObject(wire) ?? {};
  const thought = part.thinking ?? part.reasoning;
  const inner = typeof thought === 'string' ? [thought] : asArray(thought);
  const thinking = inner.flatMap((entry) => stretchesOf(entry)).map(({ text }) => ({ thinking: true, text }));
  const text = asText(part.text);
  if (text !== undefined && reasoningParts.has(part.type)) return [{ thinking: true, text }];
  return [...thinking, ...(text === undefined ? [] : [{ thinking: false, text }])].filter(({ text }) => text !== '');
}
