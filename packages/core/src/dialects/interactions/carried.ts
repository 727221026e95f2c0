/** Carriers in a request that goes on as its client wrote it: nothing of another provider's may go on with it. */
import { asArray, asObject, asText, type JsonObject, type Place, type Unsealer } from '../../dialect.ts';

/** The body without carriers: what they hold of the upstream's own stands in their place. The body itself where it has none. */
export function withoutCarriers(body: JsonObject, unsealer: Unsealer): JsonObject {
  const steps = asArray(body.input);
  const input = steps.flatMap((step, index) => opened(step, unsealer, `input[${index}]`));
  const isSame = input.length === steps.length && input.every((step, index) => step === steps[index]);
  return isSame ? body : { ...body, input };
}

/** A thought is nothing without its signature; a call is one all the same. */
function opened(wire: unknown, unsealer: Unsealer, at: string): readonly unknown[] {
  const { signature, ...step } = asObject(wire) ?? {};
  const blobs = unsealer.open(asText(signature), at);
  if (blobs === undefined) return [wire];
  const own = blobs.find(({ kind }) => kind === 'signature')?.value;
  if (own !== undefined) return [{ ...step, signature: own }];
  return step.type === 'thought' ? [] : [step];
}

/** Signatures of thoughts and calls in an event, an interaction or a step. */
export function opaqueIn(payload: JsonObject): readonly Place[] {
  const { step, delta, content, interaction } = payload;
  const whole = [payload, asObject(interaction)].flatMap((one) => [...asArray(one?.steps), ...asArray(one?.outputs)]);
  return [payload, step, delta, content, ...whole].flatMap((wire) => {
    const holder = asObject(wire);
    if (asText(holder?.signature) === undefined || holder === undefined) return [];
    const on = asText(holder.type)?.endsWith('_call') === true ? 'call' : 'thought';
    return [{ holder, member: 'signature', kind: 'signature', on }];
  });
}
