/** What the measurements must not exceed. */

/** Times the floor, by pair of dialects; a pair that is not named has the first one. */
export const timeGoals = /** @type {Readonly<Record<string, number>>} */ ({
  any: 1.2,
  'chat>chat': 1.2,
  'chat>messages': 1.2,
  'messages>chat': 1.2,
  'messages>messages': 1.2,
});

/** Bytes of heap for each event. */
export const heapGoal = 1200;

/** How much dearer an event may be in a stream ten times as long. */
export const growthGoal = 1.25;
