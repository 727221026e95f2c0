/** Named checks of what a Gemini client gets. */
import { isDeepStrictEqual } from 'node:util';
import { list, object, type Wired } from '../../support/json.ts';
import { holds } from '../finding.ts';
import type { Outcome } from '../outcome.ts';
import type { Checks } from './check.ts';

function partsOf({ payloads }: Outcome): readonly Wired[] {
  return payloads.flatMap(({ candidates }) => list(candidates)).flatMap(({ content }) => list(object(content).parts));
}

export const geminiChecks: Checks = {
  args_is_object: (outcome) => {
    const args = partsOf(outcome).flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : [object(functionCall).args],
    );
    const right = args.length > 0 && args.every((value) => typeof value === 'object' && value !== null);
    return holds(right, 'objects', args);
  },
  error_object_in_last_data: ({ payloads }) => holds(payloads.at(-1)?.error !== undefined, 'an error', payloads.at(-1)),
  part_with_signature: (outcome, asked) => {
    const signed = partsOf(outcome).filter(({ thoughtSignature }) => thoughtSignature !== undefined);
    const fits = (part: Wired): boolean =>
      Object.entries(object(asked)).every(([name, value]) => isDeepStrictEqual(part[name], value));
    return holds(signed.some(fits), asked, signed);
  },
};
