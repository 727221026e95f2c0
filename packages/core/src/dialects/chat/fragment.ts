/** One fragment of a tool call as it stands in a delta, whatever form its members have. */
import { asCount, asObject, asText, type JsonObject } from '../../dialect.ts';
import { signaturePath } from './terms.ts';

/** One entry of `delta.tool_calls`. */
export interface Fragment {
  wire: JsonObject;
  body: JsonObject;
  custom: boolean;
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  /** The raw argument text; absent where the fragment has none. */
  input: string | undefined;
}

/** Reads a fragment; ids may be numbers, and arguments objects. */
export function fragmentOf(wire: JsonObject): Fragment {
  const free = asObject(wire.custom);
  const body = free ?? asObject(wire.function) ?? flatBody(wire);
  return {
    wire,
    body,
    custom: free !== undefined || wire.type === 'custom',
    index: asCount(wire.index),
    id: typeof wire.id === 'number' ? String(wire.id) : asText(wire.id),
    name: typeof body.name === 'number' ? String(body.name) : asText(body.name),
    input: inputText(free === undefined ? (body.arguments ?? body.input ?? body.parameters) : body.input),
  };
}

/** Some servers leave out the object around name and arguments. */
function flatBody({ name, arguments: said }: JsonObject): JsonObject {
  return name === undefined && said === undefined ? {} : { name, arguments: said };
}

/** Arguments are text; some servers send the object itself. */
export function inputText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

/** Whether a first fragment has all that the protocol's own servers send with it. */
export function isStandard({ id, name, body, custom }: Fragment): boolean {
  return id !== undefined && name !== undefined && typeof (custom ? body.input : body.arguments) === 'string';
}

/** The opaque signature that a fragment carries, under whichever name the server has put it. */
export function signatureOf(wire: JsonObject): string | undefined {
  const [outer, , inner] = signaturePath;
  for (const member of Object.values(asObject(wire[outer]) ?? {})) {
    const signature = asText(asObject(member)?.[inner]);
    if (signature !== undefined) return signature;
  }
  return undefined;
}
