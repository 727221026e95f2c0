/** Keeps an answer once it is complete, under the ids that its client saw. */
import type { Form } from './form.ts';
import type { Shelf } from './shelf.ts';
import type { JsonObject, KeptItem, KeptRecord } from './store.ts';

/** What is known of an answer before it begins. */
export interface KeeperOptions {
  readonly shelf: Shelf;
  readonly form: Form;
  /** Everything that the model reads. */
  readonly input: readonly KeptItem[];
  /** The conversation that the answer belongs to. */
  readonly conversation?: KeptRecord;
  /** The provider's name. */
  readonly provider: string;
  /** Is told of a store that fails; the answer is given all the same. */
  readonly failed: (thrown: unknown) => void;
}

/** Keeps one answer. */
export class Keeper {
  readonly #options: KeeperOptions;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /**
   * Keeps an answer as the client saw it; `own` says that it came in the client's dialect. Returns what to wait for before
   * the client may know that the answer is complete; nothing for a store that is as fast as memory. Never throws.
   */
  keep(answer: JsonObject, own: boolean): Promise<void> | undefined {
    const { provider, failed, form } = this.#options;
    const { id, [form.output]: _, ...value } = answer;
    if (typeof id !== 'string' || id === '') return undefined;
    const items = form.answered(answer, own ? provider : undefined);
    try {
      const kept = this.#records({ id, value: { id, ...value }, input: this.#options.input, output: items });
      return kept?.catch(failed);
    } catch (thrown) {
      failed(thrown);
      return undefined;
    }
  }

  #records(record: KeptRecord): Promise<void> | undefined {
    const { shelf, conversation } = this.#options;
    const lost = conversation === undefined || record.value.status === 'failed';
    const grown = lost ? undefined : this.#grown(conversation, record);
    const waits = [shelf.keep(record), ...(grown === undefined ? [] : [shelf.keep(grown)])].filter(isPromise);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => {});
  }

  /** The input of an answer begins with its conversation; one that failed is no part of it. */
  #grown(conversation: KeptRecord, { input, output }: KeptRecord): KeptRecord {
    return { ...conversation, input: [...input, ...output] };
  }
}

function isPromise(value: void | Promise<void>): value is Promise<void> {
  return value instanceof Promise;
}
