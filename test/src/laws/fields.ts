/** What must never stand in a payload, by each dialect's own rules for its members. */
import { payloadsOf } from './shown.ts';

/** Members that may be null; everywhere else a null stands where something is due. */
const nullable: Readonly<Record<string, ReadonlySet<string>>> = {
  chat: new Set(['finish_reason', 'logprobs', 'usage', 'content', 'refusal', 'bytes', 'param', 'code']),
  messages: new Set([
    'stop_reason',
    'stop_sequence',
    'stop_details',
    'container',
    'request_id',
    'title',
    'category',
    'explanation',
  ]),
  gemini: new Set(),
  interactions: new Set(),
  responses: new Set([
    'error',
    'incomplete_details',
    'usage',
    'instructions',
    'max_output_tokens',
    'max_tool_calls',
    'previous_response_id',
    'prompt_cache_key',
    'effort',
    'summary',
    'safety_identifier',
    'user',
    'access_programs',
    'encrypted_content',
    'param',
  ]),
};

/** Members that identify something. */
const identities: ReadonlySet<string> = new Set([
  'id',
  'item_id',
  'call_id',
  'tool_use_id',
  'model',
  'name',
  'type',
  'object',
  'role',
]);

/** Members whose content is the caller's or the provider's own, not the dialect's. */
const free: ReadonlySet<string> = new Set([
  'content_block',
  'metadata',
  'args',
  'arguments',
  'result',
  'groundingMetadata',
  'citationMetadata',
  'urlContextMetadata',
  'safetyRatings',
  'avgLogprobs',
  'tokenCount',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
]);

/** What is wrong with the payloads of a stream; nothing if every member is as its dialect wants it. */
export function wrongMembers(dialect: string, text: string): readonly string[] {
  const allowed = nullable[dialect];
  if (allowed === undefined) throw new Error(`no rules for the members of ${dialect}: add them to fields.ts`);
  const wrong: string[] = [];
  for (const payload of payloadsOf(text)) look(payload, '', allowed, wrong);
  return wrong;
}

function look(value: unknown, path: string, allowed: ReadonlySet<string>, wrong: string[]): void {
  const member = path.split('.').at(-1) ?? '';
  if (value === null && !allowed.has(member)) wrong.push(`${path} is null`);
  if (identities.has(member) && (typeof value !== 'string' || value === ''))
    wrong.push(`${path} is ${JSON.stringify(value)}`);
  if (typeof value === 'number' && !isSound(member, value)) wrong.push(`${path} is ${value}`);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value))
    if (!free.has(name)) look(inner, Array.isArray(value) ? path : `${path}.${name}`, allowed, wrong);
}

/** Numbers count something, except probabilities. */
function isSound(member: string, value: number): boolean {
  return member === 'logprob' || member === 'logProbability' || (Number.isSafeInteger(value) && value >= 0);
}
