/** Names and ids that a target accepts, for those that it does not. */
import { Ids } from './ids.ts';

const illegal = /[^a-zA-Z0-9_-]/;
const illegals = /[^a-zA-Z0-9_-]/g;

/** Legal tool names for a client's own: the same name always has the same one, and no two share one. */
export class Aliases {
  /** Names as sent, with the client's own, where the two differ. */
  readonly changed: Map<string, string> = new Map();
  readonly #limit: number;
  readonly #sent = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** `limit` is the greatest length of a name. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The name to send for a client's name. */
  of(name: string): string {
    const known = this.#sent.get(name);
    if (known !== undefined) return known;
    const sent = this.#free(name.replace(illegals, '_').slice(0, this.#limit) || 'tool');
    this.#sent.set(name, sent);
    this.#taken.add(sent);
    if (sent !== name) this.changed.set(sent, name);
    return sent;
  }

  #free(name: string): string {
    let free = name;
    for (let number = 2; this.#taken.has(free); number++) {
      const suffix = `_${number}`;
      free = name.slice(0, this.#limit - suffix.length) + suffix;
    }
    return free;
  }
}

/** Stands before an id that was put into letters and digits. */
const wrapping = 'sg_';

/**
 * The id itself where it has the form that the target takes, else one made from it: the same for a call and its result.
 * Where there is room for that, `originalId` finds the id again: some models go by the ids of their calls.
 */
export function legalId(id: string, form: RegExp): string {
  if (form.test(id)) return id;
  const wrapped = /^[ -~]+$/.test(id)
    ? wrapping + btoa(id).replace(/=+$/, '').replace(/\+/g, '-').replace(/\//g, '_')
    : '';
  return form.test(wrapped) ? wrapped : new Ids(id).invent('call_');
}

/** The id that a legal one was made from, if it can be known. */
export function originalId(id: string): string {
  if (!id.startsWith(wrapping) || illegal.test(id)) return id;
  const found = unwrapped(id.slice(wrapping.length));
  return found !== undefined && illegal.test(found) ? found : id;
}

function unwrapped(text: string): string | undefined {
  try {
    return atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  } catch {
    return undefined;
  }
}
