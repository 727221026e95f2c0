/** What a target cannot express, noted while a request is written for it. */
import type { DialectId } from '../model/event.ts';
import type { CanonicalRequest, Loss } from '../model/request.ts';

/** The losses of one request; fields are named as the client's dialect names them. */
export class Losses {
  readonly list: Loss[] = [];
  readonly #dialect: DialectId;
  readonly #fields: Readonly<Record<string, string>>;

  constructor(dialect: DialectId, request: Pick<CanonicalRequest, 'fields' | 'untranslated'>) {
    this.#dialect = dialect;
    this.#fields = request.fields ?? {};
    for (const { field, severity } of request.untranslated ?? []) this.#add(field, `unknown to ${dialect}`, severity);
  }

  /** Something that changes how the answer is made, not what is asked. `field` is a canonical name or a client's path. */
  minor(field: string, reason: string): void {
    this.#add(field, reason, 'minor');
  }

  /** Something without which the answer is an answer to another question. */
  severe(field: string, reason: string): void {
    this.#add(field, reason, 'severe');
  }

  #add(field: string, reason: string, severity: Loss['severity']): void {
    this.list.push({ field: this.#fields[field] ?? field, dialect: this.#dialect, reason, severity });
  }
}
