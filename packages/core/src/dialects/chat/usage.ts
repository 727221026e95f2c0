/** Usage of a Chat answer to and from the arithmetic in which every total includes its parts. */
import {
  asCount,
  asNumber,
  asObject,
  compact,
  type InputTokensDetails,
  type JsonObject,
  type OutputTokensDetails,
  totalTokens,
  type Usage,
} from '../../dialect.ts';
import { type UsageCounter, usageFields } from './terms.ts';

/** The counts of a usage object, or nothing where it has none. */
export function decodeUsage(wire: JsonObject): Usage | undefined {
  const input = counter(wire, 'input');
  const output = counter(wire, 'output');
  if (input === undefined && output === undefined && counter(wire, 'total') === undefined) return undefined;
  const reasoning = counter(wire, 'reasoning');
  const generated = output === undefined ? undefined : output + reasoningBeside(wire, input, output, reasoning);
  const usage: Usage = compact({
    inputTokens: input,
    inputTokensDetails: inputDetails(wire),
    outputTokens: generated,
    outputTokensDetails: outputDetails(wire, reasoning),
    cost: counter(wire, 'cost'),
    raw: wire,
  });
  usage.totalTokens =
    input === undefined && generated === undefined ? (counter(wire, 'total') ?? 0) : totalTokens(usage);
  return usage;
}

/** Turns counts that are no numbers, such as those in digits, into numbers in place; says whether there were any. */
export function mendCounts(wire: JsonObject): boolean {
  const holders = [wire, asObject(wire.prompt_tokens_details), asObject(wire.completion_tokens_details)];
  return holders.filter((counts) => counts !== undefined && mendNumbers(counts)).length > 0;
}

function mendNumbers(counts: JsonObject): boolean {
  const wrong = Object.keys(counts).filter((name) => name.endsWith('_tokens') && !isCountOrNull(counts[name]));
  for (const name of wrong) counts[name] = asCount(counts[name]) ?? 0;
  return wrong.length > 0;
}

function isCountOrNull(value: unknown): boolean {
  return value === null || typeof value === 'number';
}

/** The usage object of a Chat answer. */
export function encodeUsage(usage: Usage): JsonObject {
  const { cacheRead, cacheWrite, text, image, audio } = usage.inputTokensDetails ?? {};
  const output = usage.outputTokensDetails ?? {};
  return compact({
    prompt_tokens: usage.inputTokens ?? 0,
    completion_tokens: usage.outputTokens ?? 0,
    total_tokens: usage.totalTokens ?? totalTokens(usage),
    prompt_tokens_details: filled({
      cached_tokens: cacheRead,
      cache_write_tokens: cacheWrite,
      text_tokens: text,
      image_tokens: image,
      audio_tokens: audio,
    }),
    completion_tokens_details: filled({
      reasoning_tokens: output.reasoning,
      text_tokens: output.text,
      audio_tokens: output.audio,
      image_tokens: output.image,
      accepted_prediction_tokens: output.acceptedPrediction,
      rejected_prediction_tokens: output.rejectedPrediction,
    }),
  });
}

/** Some servers count reasoning outside `completion_tokens`; only the sum tells. */
function reasoningBeside(wire: JsonObject, input = 0, output = 0, reasoning = 0): number {
  return reasoning > 0 && counter(wire, 'total') === input + output + reasoning ? reasoning : 0;
}

function inputDetails(wire: JsonObject): InputTokensDetails | undefined {
  return filled({
    cacheRead: counter(wire, 'cacheRead'),
    cacheWrite: counter(wire, 'cacheWrite'),
    text: counter(wire, 'inputText'),
    image: counter(wire, 'inputImage'),
    audio: counter(wire, 'inputAudio'),
    video: counter(wire, 'inputVideo'),
  });
}

function outputDetails(wire: JsonObject, reasoning: number | undefined): OutputTokensDetails | undefined {
  return filled({
    reasoning,
    text: counter(wire, 'outputText'),
    audio: counter(wire, 'outputAudio'),
    image: counter(wire, 'outputImage'),
    acceptedPrediction: counter(wire, 'acceptedPrediction'),
    rejectedPrediction: counter(wire, 'rejectedPrediction'),
  });
}

function counter(wire: JsonObject, name: UsageCounter): number | undefined {
  for (const path of usageFields[name]) {
    const [outer = '', inner] = path.split('.');
    const value = inner === undefined ? wire[outer] : asObject(wire[outer])?.[inner];
    const found = name === 'cost' ? asNumber(value) : asCount(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function filled<T extends object>(members: T): ReturnType<typeof compact<T>> | undefined {
  const known = compact(members);
  return Object.keys(known).length > 0 ? known : undefined;
}
