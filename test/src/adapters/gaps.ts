/** What a host cannot do, with the reason; a gap that has closed fails the suite until it is taken out. */

/** The gaps by host and scenario. */
export const gaps: Readonly<Record<string, Readonly<Record<string, string>>>> = {};
