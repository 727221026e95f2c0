/** Fault cases: small streams with one fault each, and the right result of each. */
import { readdirSync, readFileSync } from 'node:fs';
import { dataFolder, hasData } from '../support/data.ts';
import { object, type Wired } from '../support/json.ts';

/** One case, ready to run. */
export interface FaultCase {
  id: string;
  kind: string;
  layer: string;
  from: string;
  /** The dialects for which the result is asked. */
  to: readonly string[];
  /** What the client asked, where it matters. */
  request?: Wired;
  /** Options of the decoder that are on. */
  options: Wired;
  /** Status and content type of the upstream's answer, where they are not those of a stream. */
  http: { status?: number; contentType?: string };
  /** The upstream's bytes as they were recorded, chunk by chunk. */
  chunks: readonly Uint8Array[];
  expect: Expectation;
}

/** The right result, in the words of the cases. */
export interface Expectation {
  text: string;
  /** Texts that hold beside it, by dialect. */
  text_or?: Readonly<Record<string, readonly string[]>>;
  reasoning: string;
  refusal?: string;
  tool_calls: readonly ExpectedCall[];
  /** The exact argument text of each call, where it is not whole JSON. */
  tool_arguments_raw?: readonly string[];
  finish: string | null;
  finish_raw?: string;
  stop_sequence?: string;
  usage: Readonly<Record<string, number>> | null;
  error: ExpectedError | null;
  error_for?: Readonly<Record<string, ExpectedError>>;
  choices?: readonly ExpectedChoice[];
  model?: string;
  signatures?: Readonly<Record<string, string>>;
  encrypted?: Readonly<Record<string, string>>;
  redacted?: readonly string[];
  images?: readonly { data: string }[];
  annotations?: readonly Wired[];
  logprobs?: unknown;
  checks?: readonly NamedCheck[];
}

/** A call; `*` as its id says that one has to be made up. */
export interface ExpectedCall {
  id: string;
  name: string;
  arguments: unknown;
}

/** One of several answers. */
export interface ExpectedChoice {
  index: number;
  text: string;
  finish: string;
  tool_calls?: readonly ExpectedCall[];
}

/** An error, by the class of what went wrong. */
export interface ExpectedError {
  type: string;
  message_contains?: string;
  after_output?: boolean;
}

/** A question about what was written for one dialect, or for all of them (`*`). */
export interface NamedCheck {
  to: string;
  check: string;
  value?: unknown;
}

/** A case as its file has it. */
interface CaseFile extends Omit<FaultCase, 'options' | 'http' | 'chunks'> {
  scenario?: unknown;
  upstream?: string;
  upstream_chunks?: readonly { b64: string }[];
  expand?: Readonly<Record<string, { repeat: string; count: number }>>;
  options?: Wired;
  expect_with_option?: Readonly<Record<string, Partial<Expectation>>>;
  upstream_http?: { status: number; content_type: string };
}

const folder = 'faults/cases';

/** Whether there are cases to run. */
export const isPresent: boolean = hasData(folder);

const files: readonly CaseFile[] = isPresent ? readdirSync(dataFolder(folder)).sort().flatMap(read) : [];

/** The cases that are a stream, each also with the options that change its result. */
export const cases: readonly FaultCase[] = files.filter(({ scenario }) => scenario === undefined).flatMap(variants);

/** The cases that are a sequence of steps: sockets, frameworks, cancellation. */
export const scenarioIds: readonly string[] = files.flatMap(({ id, scenario }) => (scenario === undefined ? [] : [id]));

function read(name: string): CaseFile[] {
  return name.endsWith('.json') ? [JSON.parse(readFileSync(`${dataFolder(folder)}/${name}`, 'utf8')) as CaseFile] : [];
}

function variants(file: CaseFile): FaultCase[] {
  const { expect_with_option: more = {}, ...plain } = file;
  const withOption = Object.entries(more).map(([option, expect]) => {
    // The named checks speak of the result without the option.
    const changed = { ...file.expect, ...expect, checks: [] };
    return { ...plain, id: `${file.id}+${option}`, options: { ...file.options, [option]: true }, expect: changed };
  });
  return [plain, ...withOption].map(ready);
}

function ready(file: CaseFile): FaultCase {
  const { upstream, upstream_chunks: pieces = [], upstream_http: http, options = {}, ...rest } = file;
  const chunks =
    upstream === undefined
      ? pieces.map(({ b64 }) => Buffer.from(b64, 'base64'))
      : [Buffer.from(expanded(upstream, file))].filter(({ length }) => length > 0);
  return {
    ...rest,
    options,
    chunks,
    http: http === undefined ? {} : { status: http.status, contentType: http.content_type },
    expect: expandedAll(rest.expect, file) as Expectation,
  };
}

function expanded(text: string, { expand = {} }: CaseFile): string {
  return Object.entries(expand).reduce(
    (all, [mark, { repeat, count }]) => all.replaceAll(mark, () => repeat.repeat(count)),
    text,
  );
}

function expandedAll(value: unknown, file: CaseFile): unknown {
  if (typeof value === 'string') return expanded(value, file);
  if (Array.isArray(value)) return value.map((item) => expandedAll(item, file));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(object(value)).map(([key, item]) => [key, expandedAll(item, file)]));
}
