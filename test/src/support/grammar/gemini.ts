/** The grammar of a Gemini stream: every frame is an answer of its own, and the last one says why it ended. */
import { framesOf, type WireFrame } from './frames.ts';
import { type Grammar, isCount, isFilled, isObject, Report, type Wired } from './report.ts';

/** Members of which a part has one. */
const kinds: readonly string[] = [
  'text',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
];

const words = new Set(['STOP', 'MAX_TOKENS', 'SAFETY', 'OTHER', 'CONTINUATION']);

class GeminiReader {
  readonly report = new Report();
  /** Whether each candidate has ended. */
  readonly #candidates = new Map<number, boolean>();
  #model: unknown;
  #id: unknown;
  #chunks = 0;
  #blocked = false;
  #counted = false;
  failed = false;

  frame({ event, data, json }: WireFrame): void {
    const { report } = this;
    if (data === undefined) return;
    report.need(event === undefined, `event line "${event}"`);
    if (json === undefined) return void report.need(data !== '[DONE]', 'a [DONE]');
    report.need(!this.failed, 'a chunk after the error');
    this.#chunks++;
    if (json.error === undefined) this.#chunk(json);
    else this.#error(json.error);
  }

  end(): void {
    const { report } = this;
    report.frame = undefined;
    report.need(this.#chunks > 0, 'no chunk at all');
    if (this.failed) return;
    report.need(this.#blocked || this.#candidates.size > 0, 'neither a candidate nor a refusal');
    for (const [index, ended] of this.#candidates)
      report.need(ended || this.#blocked, `candidate ${index} has no finishReason`);
  }

  #error(error: unknown): void {
    this.failed = true;
    if (!this.report.need(isObject(error), 'an error that is no object') || !isObject(error)) return;
    this.report.need(isCount(error.code) && error.code >= 400, `error.code is ${JSON.stringify(error.code)}`);
    this.report.need(isFilled(error.message), 'an error without a message');
    this.report.need(isFilled(error.status), 'an error without a status');
  }

  #chunk(chunk: Wired): void {
    const { report } = this;
    const { candidates, usageMetadata: usage, promptFeedback: feedback } = chunk;
    const isAny = candidates !== undefined || usage !== undefined || feedback !== undefined;
    report.need(isAny || chunk.zz !== undefined, 'a chunk that says nothing');
    if (chunk.modelVersion !== undefined) this.#same('modelVersion', chunk.modelVersion);
    if (chunk.responseId !== undefined) this.#same('responseId', chunk.responseId);
    if (isObject(feedback) && isFilled(feedback.blockReason)) this.#blocked = true;
    if (usage !== undefined) this.#usage(usage);
    if (candidates === undefined) return;
    if (!report.need(Array.isArray(candidates), 'candidates that are no list')) return;
    for (const candidate of candidates as unknown[]) this.#candidate(isObject(candidate) ? candidate : {});
  }

  #same(member: 'modelVersion' | 'responseId', value: unknown): void {
    const { report } = this;
    report.need(isFilled(value), `${member} is ${JSON.stringify(value)}`);
    const before = member === 'modelVersion' ? this.#model : this.#id;
    report.need(before === undefined || before === value, `${member} changes`);
    if (member === 'modelVersion') this.#model = value;
    else this.#id = value;
  }

  #usage(usage: unknown): void {
    const { report } = this;
    if (!report.need(isObject(usage), 'usageMetadata that is no object') || !isObject(usage)) return;
    this.#counted = true;
    for (const [name, count] of Object.entries(usage))
      if (name.endsWith('Count')) report.need(isCount(count), `${name} is ${JSON.stringify(count)}`);
  }

  /** Whether tokens were counted. */
  get counted(): boolean {
    return this.#counted;
  }

  #candidate({ index = 0, content, finishReason }: Wired): void {
    const { report } = this;
    if (!report.need(isCount(index), `a candidate at ${JSON.stringify(index)}`)) return;
    const at = index as number;
    const parts = isObject(content) ? (content.parts ?? []) : [];
    if (content !== undefined) report.need(isObject(content) && content.role === 'model', 'content of another role');
    if (!report.need(Array.isArray(parts), 'parts that are no list')) return;
    const ended = this.#candidates.get(at) === true;
    report.need(!ended || (parts as unknown[]).length === 0, `a part after the finish of candidate ${at}`);
    report.need(!ended || finishReason === undefined, `two finishes of candidate ${at}`);
    for (const part of parts as unknown[]) this.#part(isObject(part) ? part : {});
    if (finishReason !== undefined) report.need(words.has(String(finishReason)), `finishReason is ${finishReason}`);
    this.#candidates.set(at, ended || finishReason !== undefined);
  }

  #part(part: Wired): void {
    const { report } = this;
    report.need(kinds.filter((kind) => part[kind] !== undefined).length === 1, 'a part of no kind, or of two');
    if (part.text !== undefined) report.need(typeof part.text === 'string', 'a text that is none');
    if (part.thoughtSignature !== undefined) report.need(isFilled(part.thoughtSignature), 'an empty signature');
    if (part.functionCall !== undefined) this.#call(part.functionCall);
    const data = part.inlineData;
    if (data !== undefined)
      report.need(isObject(data) && isFilled(data.mimeType) && typeof data.data === 'string', 'data without a type');
  }

  #call(call: unknown): void {
    const { report } = this;
    if (!report.need(isObject(call), 'a call that is no object') || !isObject(call)) return;
    report.need(isFilled(call.name), 'a call without a name');
    report.need(isObject(call.args), 'arguments that are no object');
    report.need(call.partialArgs === undefined && call.willContinue !== true, 'a call that is not whole');
  }
}

function read(text: string): GeminiReader {
  const reader = new GeminiReader();
  for (const [at, frame] of framesOf(text, reader.report).entries()) {
    reader.report.frame = at;
    reader.frame(frame);
  }
  reader.end();
  return reader;
}

/** The rules of Gemini streams as server-sent events. */
export const gemini: Grammar = {
  violations: (text) => read(text).report.violations,
  fails: (text) => read(text).failed,
};
