/** The texts and numbers in a JSON text: where each stands, and on which path. */

/** One text or number that is a value, not a name. */
export interface Leaf {
  readonly path: readonly (string | number)[];
  readonly isText: boolean;
  /** Its first character; of a text, that behind the quotation mark. */
  readonly start: number;
  /** Where it ends; of a text, at the quotation mark. */
  readonly end: number;
}

const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]|\w+/g;

/** A collection that is open: its place in the path, and the names that it has. */
interface Level {
  at: string | number;
  readonly names: Set<string> | undefined;
  expectsName: boolean;
}

/** All leaves of a JSON text, in order; nothing where a name is there twice, or one that no object should be asked for. */
export function leavesOf(text: string): readonly Leaf[] | undefined {
  const leaves: Leaf[] = [];
  const levels: Level[] = [];
  for (const { 0: word, index } of text.matchAll(token)) {
    const level = levels.at(-1);
    const first = word[0] as string;
    if (first === '{') levels.push({ at: '', names: new Set(), expectsName: true });
    else if (first === '[') levels.push({ at: 0, names: undefined, expectsName: false });
    else if (first === '}' || first === ']') levels.pop();
    else if (first === ',') advance(level);
    else if (first === '"' && level?.expectsName === true) {
      if (!named(level, JSON.parse(word))) return undefined;
    } else if (first === '"') leaves.push(leafOf(levels, true, index + 1, index + word.length - 1));
    else if (/[-\d]/.test(first)) leaves.push(leafOf(levels, false, index, index + word.length));
  }
  return leaves;
}

function advance(level: Level | undefined): void {
  if (level === undefined) return;
  if (level.names === undefined) level.at = Number(level.at) + 1;
  else level.expectsName = true;
}

function named(level: Level, name: string): boolean {
  if (name === '__proto__' || level.names?.has(name) === true) return false;
  level.names?.add(name);
  level.at = name;
  level.expectsName = false;
  return true;
}

function leafOf(levels: readonly Level[], isText: boolean, start: number, end: number): Leaf {
  return { path: levels.map(({ at }) => at), isText, start, end };
}
