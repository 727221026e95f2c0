/** Placeholder until the dialect is written. */
import type { Dialect } from '../../dialect.ts';

export const messages: Dialect = undefined as unknown as Dialect;
