/** Placeholder until the dialect is written. */
import type { Dialect } from '../../dialect.ts';

export const chat: Dialect = undefined as unknown as Dialect;
