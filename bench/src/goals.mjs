/** What the measurements must not exceed. */

/** Times the floor, by pair of dialects; a pair that is not named has the first one. */
export const timeGoals = /** @type {Readonly<Record<string, number>>} */ ({
  any: 1.2,
  'chat>chat': 1.2,
  'chat>messages': 1.2,
  'messages>chat': 1.2,
  'messages>messages': 1.2,
});

/** Times the heap of the floor. */
export const heapGoal = 2.5;

/** How much dearer an event may be in a stream ten times as long. */
export const growthGoal = 1.25;
