/** Making a gateway when it is first asked, as a build loads routes too and has no keys. */

/** A thing, or a function that makes it. */
export type Late<T> = T | (() => T);

/** Gives what is made of a thing: at once if the thing is there, else when it is first asked for. */
export function once<T extends object, Made>(given: Late<T>, make: (thing: T) => Made): () => Made {
  let made = typeof given === 'function' ? undefined : make(given);
  return () => {
    made ??= make(typeof given === 'function' ? given() : given);
    return made;
  };
}
