/** Names and ids that a target accepts, for those that it does not. */
import { Ids } from './ids.ts';

const illegal = /[^a-zA-Z0-9_-]/g;

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
    const sent = this.#free(name.replace(illegal, '_').slice(0, this.#limit) || 'tool');
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

/** The id itself where it has the form that the target takes, else one made from it: the same for a call and its result. */
export function legalId(id: string, form: RegExp): string {
  return form.test(id) ? id : new Ids(id).invent('call_');
}
