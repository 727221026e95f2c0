/** What a target cannot express, noted while a request is written for it. */
import type { DialectId } from '../model/event.ts';
import type { CanonicalRequest, HostedTool, Loss, ToolChoice } from '../model/request.ts';

/** The losses of one request; fields are named as the client's dialect names them. */
export class Losses {
  readonly list: Loss[] = [];
  readonly #dialect: DialectId;
  readonly #fields: Readonly<Record<string, string>>;
  readonly #choice: ToolChoice | undefined;

  constructor(dialect: DialectId, request: Pick<CanonicalRequest, 'fields' | 'untranslated' | 'toolChoice'>) {
    this.#dialect = dialect;
    this.#fields = request.fields ?? {};
    this.#choice = request.toolChoice;
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

  /** A tool that its provider runs and the target lacks: severe, unless the answer could do without it. */
  hosted(tool: HostedTool, reason: string): void {
    this.#add(tool.at ?? 'tools', reason, isOptional(tool, this.#choice) ? 'minor' : 'severe');
  }

  #add(field: string, reason: string, severity: Loss['severity']): void {
    this.list.push({ field: this.#fields[field] ?? field, dialect: this.#dialect, reason, severity });
  }
}

/** Whether an answer could do without a tool: it must not be called, or it only finds tools that are all offered anyway. No dialect has a mark for it. */
function isOptional({ name }: HostedTool, choice: ToolChoice | undefined): boolean {
  if (name.startsWith('tool_search') || choice?.type === 'none') return true;
  if (choice?.type === 'tool') return choice.name !== name;
  return choice?.type === 'allowed' && !choice.names.includes(name);
}
