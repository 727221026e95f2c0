/** What the measurements must not exceed. */

/** Times the floor, by the dialect that is read; Chat's chunks are mostly parsing. */
export const timeGoals = /** @type {Readonly<Record<string, number>>} */ ({ any: 1, chat: 1.15 });

/** Times the heap of the floor. */
export const heapGoal = 2.5;

/** How much dearer an event may be in a stream a hundred times as long. */
export const growthGoal = 1.25;

/**
 * Times a raw node:http pipe, through Express: CPU of a paced event; and, to notice what grows, CPU of a short stream, the
 * first byte and the heap of an idle stream.
 */
export const httpGoals = { paced: 1.4, streams: 3.5, first: 2.5, idle: 2 };
