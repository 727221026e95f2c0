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

/** Times a raw node:http pipe, through Express: CPU for each paced event and each short stream, first byte, idle memory. */
export const httpGoals = { paced: 1.4, streams: 2.5, first: 2.5, idle: 2 };
