/** Resolves the packages that the shared floor names from the bench's own dependencies. */

/** The shared floor also measures a later major of the parser; here the one that the project uses stands in. */
const standIns = new Map([['esp4', 'eventsource-parser']]);

let folder = '';

/** @param {string} url the folder of the shared code */
export function initialize(url) {
  folder = url;
}

/**
 * @param {string} specifier
 * @param {{ parentURL?: string }} context
 * @param {(specifier: string, context: { parentURL?: string }) => unknown} next
 */
export function resolve(specifier, context, next) {
  const foreign = context.parentURL?.startsWith(folder) && /^[a-z@]/.test(specifier) && !specifier.startsWith('node:');
  if (!foreign) return next(specifier, context);
  return next(standIns.get(specifier) ?? specifier, { ...context, parentURL: import.meta.url });
}
