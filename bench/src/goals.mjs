/** What the measurements must not exceed. */

/**
 * Times the floor: one, but for dialects that are dearer to read or to write. Chat's chunks are mostly parsing; Gemini's say
 * anew who answers.
 * @type {Readonly<Record<'from' | 'to', Readonly<Record<string, number>>>>}
 */
export const timeGoals = { from: { chat: 1.15 }, to: { gemini: 1.1 } };

/** Times the heap of the floor. */
export const heapGoal = 2.5;

/** How much dearer an event may be in a stream a hundred times as long. */
export const growthGoal = 1.25;

/**
 * Times a raw node:http pipe, through Express: CPU of a paced event; and, to notice what grows, CPU of a short stream, the
 * first byte and the heap of an idle stream.
 */
export const httpGoals = { paced: 1.4, streams: 3.5, first: 2.5, idle: 2 };
