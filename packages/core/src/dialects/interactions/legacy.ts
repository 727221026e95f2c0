/** The event names and contents of the dialect's first revision, which some servers still send. */
import { asObject, asText, entryOf, type JsonObject } from '../../dialect.ts';

/** The event types that had other names (Google Cloud reference marks them deprecated; reference, seen 2026-11-29). */
const eventTypes: Readonly<Record<string, string>> = {
  'interaction.start': 'interaction.created',
  'interaction.complete': 'interaction.completed',
  'content.start': 'step.start',
  'content.delta': 'step.delta',
  'content.stop': 'step.stop',
};

/** Today's name of an event, if it has an old one. */
export function modernType(type: string): string | undefined {
  return entryOf(eventTypes, type);
}

/** Gives an old event the form of today's. */
export function modernise(data: JsonObject, type: string): void {
  data.event_type = type;
  if (type !== 'step.start' || data.step !== undefined) return;
  data.step = stepOfContent(asObject(data.content) ?? {});
  delete data.content;
}

/** Types of content that a step of its own has become today; all other content is what the model puts out. */
const stepTypes: ReadonlySet<string> = new Set(['thought', 'function_call', 'function_result']);

/** The step that a content of the old form is. */
export function stepOfContent(content: JsonObject): JsonObject {
  const type = asText(content.type) ?? 'text';
  if (stepTypes.has(type) || type.endsWith('_call') || type.endsWith('_result')) return content;
  return { type: 'model_output', content: isBare(content) ? [] : [content] };
}

/** The start of an old text says its type and nothing else. */
function isBare({ type: _, text, ...rest }: JsonObject): boolean {
  return (text === undefined || text === '') && Object.keys(rest).length === 0;
}
