/** A stage is a small synchronous state machine; stages in a row are one stage. */

/** Why the bytes stopped. `closed` is an orderly end of the body, whether or not the answer was whole. */
export type CloseCause = 'closed' | 'reset' | 'stalled' | 'deadline' | 'client-closed' | 'shutdown' | 'internal';

/** Takes inputs one at a time and gives outputs at once; never throws for what came over the wire. */
export interface Stage<In, Out> {
  /** Takes one input and returns what it leads to, often nothing. */
  push(input: In): readonly Out[];
  /** Says that no input will follow and why (`closed` unless told); returns what was still held. */
  end(cause?: CloseCause): readonly Out[];
  /** Whether how it ends is known, and held only because a little more may be told of it: whoever reads need not wait long. */
  readonly settled?: boolean;
}

/** Joins two stages into one: what `first` gives, `second` takes. */
export function pipe<In, Mid, Out>(first: Stage<In, Mid>, second: Stage<Mid, Out>): Stage<In, Out> {
  return {
    push: (input) => pass(first.push(input), second),
    end: (cause) => [...pass(first.end(cause), second), ...second.end(cause)],
    get settled() {
      return first.settled === true || second.settled === true;
    },
  };
}

function pass<Mid, Out>(inputs: readonly Mid[], stage: Stage<Mid, Out>): readonly Out[] {
  if (inputs.length === 1) return stage.push(inputs[0] as Mid);
  const outputs: Out[] = [];
  for (const input of inputs) outputs.push(...stage.push(input));
  return outputs;
}
