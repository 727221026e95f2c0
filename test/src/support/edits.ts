/** Ways to damage a stream, for the tests of what has to notice it. */

/** A damaged stream for a clean one. */
export type Edit = (stream: string) => string;

/** Another text in the place of the first match. */
export function swap(from: string | RegExp, to: string): Edit {
  return (stream) => stream.replace(from, to);
}

/** Another text in the place of every match. */
export function swapAll(from: string | RegExp, to: string): Edit {
  return (stream) => stream.replaceAll(from, to);
}

/** Another text in the place of the last match; a pattern has to be global. */
export function swapLast(from: string | RegExp, to: string): Edit {
  return (stream) => {
    const found = typeof from === 'string' ? from : ([...stream.matchAll(from)].at(-1)?.[0] ?? from.source);
    const at = stream.lastIndexOf(found);
    return at < 0 ? stream : stream.slice(0, at) + to + stream.slice(at + found.length);
  };
}

/** The events that match are left out. */
export function without(event: RegExp): Edit {
  return (stream) =>
    blocksOf(stream)
      .filter((block) => !event.test(block))
      .join('');
}

/** The events that match come twice. */
export function twice(event: RegExp): Edit {
  return (stream) =>
    blocksOf(stream)
      .flatMap((block) => (event.test(block) ? [block, block] : [block]))
      .join('');
}

/** The first event that matches goes behind the first that matches something else. */
export function later(event: RegExp, other: RegExp): Edit {
  return (stream) => {
    const blocks = blocksOf(stream);
    const [moved = ''] = blocks.splice(
      blocks.findIndex((block) => event.test(block)),
      1,
    );
    blocks.splice(blocks.findIndex((block) => other.test(block)) + 1, 0, moved);
    return blocks.join('');
  };
}

/** More behind the end. */
export function endWith(more: string): Edit {
  return (stream) => stream + more;
}

/** One edit after another. */
export function both(first: Edit, second: Edit): Edit {
  return (stream) => second(first(stream));
}

function blocksOf(stream: string): string[] {
  return stream.split(/(?<=\n\n)/);
}
