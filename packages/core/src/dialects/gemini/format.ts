/** The form that an answer's text must have, by the older members of the configuration and by the one that replaces them. */
import { asText, compact, type JsonObject, type OutputFormat } from '../../dialect.ts';
import { toClosedSchema } from './openapi.ts';
import type { GeminiConfig } from './schema.ts';

/** What a configuration asks of text, whichever of its members says so. */
interface TextForm {
  mimeType: string | undefined;
  schema: Readonly<Record<string, unknown>> | undefined;
}

/** The form that is asked for; `responseFormat` stands above the members that it replaces. */
function formOf(config: GeminiConfig): TextForm {
  const asked = config.responseFormat?.find((format) => format.text)?.text;
  const { responseJsonSchema, responseSchema } = config;
  const older = responseJsonSchema ?? (responseSchema ? toClosedSchema(responseSchema) : undefined);
  const mimeType = asked?.mimeType ?? config.responseMimeType ?? undefined;
  return { mimeType: mimeType === 'APPLICATION_JSON' ? json : mimeType, schema: asked?.schema ?? older ?? undefined };
}

/** The form as the canonical request has it. */
export function decodeFormat(config: GeminiConfig): OutputFormat | undefined {
  const { mimeType, schema } = formOf(config);
  if (mimeType === plain) return { type: 'text' };
  if (mimeType !== json) return undefined;
  if (schema === undefined) return { type: 'json_object' };
  const name = asText(schema.title)?.replace(/[^a-zA-Z0-9_-]/g, '_');
  return compact({ type: 'json_schema', name, schema, strict: false });
}

/** The members that ask for forms which only this dialect has: another type of text, or what is no text. */
export function foreignFormats(config: GeminiConfig): readonly string[] {
  const { mimeType } = formOf(config);
  const isOther = Boolean(mimeType) && mimeType !== plain && mimeType !== json;
  const isMedium = config.responseFormat?.some((format) => !format.text) === true;
  return [
    ...(isOther ? ['generationConfig.responseMimeType'] : []),
    ...(isMedium ? ['generationConfig.responseFormat'] : []),
  ];
}

/** The members for a canonical form. */
export function encodeFormat(output: OutputFormat | undefined): JsonObject {
  if (output === undefined || output.type === 'text') return {};
  const schema = output.type === 'json_schema' ? output.schema : undefined;
  return { responseMimeType: json, responseJsonSchema: schema };
}

const json = 'application/json';
const plain = 'text/plain';
