/** A list of items, a page at a time (platform.openai.com, list input items, seen 2026-11-29). */
import { unsupported } from '../error.ts';
import { listed } from './input.ts';
import type { JsonObject, KeptItem } from './store.ts';

/** The most and the usual number of items on a page. */
const sizes = { most: 100, usual: 20 };

/** A page as the query asks for it: `limit`, `order` and `after`. Throws `GatewayError` (400) that names what is wrong. */
export function pageOf(items: readonly KeptItem[], query: Readonly<Record<string, string | undefined>>): JsonObject {
  const { order = 'desc', after } = query;
  if (order !== 'asc' && order !== 'desc') throw unsupported('order', 'expected "asc" or "desc"');
  const ordered = order === 'asc' ? items : [...items].reverse();
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw unsupported('after', 'no item of this list has that id');
  const size = sizeOf(query.limit);
  const page = ordered.slice(start, start + size);
  return {
    object: 'list',
    data: page.map(listed),
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: start + size < ordered.length,
  };
}

function sizeOf(limit: string | undefined): number {
  const size = limit === undefined ? sizes.usual : Number(limit);
  if (!Number.isInteger(size) || size < 1 || size > sizes.most)
    throw unsupported('limit', `expected a whole number from 1 to ${sizes.most}`);
  return size;
}
