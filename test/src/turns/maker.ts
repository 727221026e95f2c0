/** A provider that remembers what it made: it takes back its own, whole and in its place, and nothing of anybody else. */
import type { Piece, Scene } from '../support/scenes.ts';
import type { Strict } from './row.ts';
import type { Wired } from './wired.ts';

/** What was said in one answer; numbers of calls differ from step to step. */
export type Script = readonly (readonly Piece[])[];

/** What a provider is like. */
export interface MakerOptions {
  name: string;
  strict: Strict;
  script: Script;
  /** Whether it takes what it made without what only it can read, as if another one had made it. */
  forgives?: boolean;
  /** Whether each of its models takes back what the others made. */
  shares?: boolean;
  /** Gives the ids of calls in an answer another form. */
  renamed?: (json: string) => string;
}

/** A provider, as the function that its upstreams are reached by. */
export class Maker {
  readonly bodies: string[] = [];
  readonly complaints: string[] = [];
  /** All that it made and only it can read. */
  readonly secrets: string[] = [];
  readonly #name: string;
  readonly #strict: Strict;
  readonly #script: Script;
  /** The marks of each answer, by the model that gave it and the last line of it, its last call. */
  readonly #made = new Map<string, readonly string[]>();

  readonly #forgives: boolean;
  readonly #shares: boolean;
  readonly #renamed: (json: string) => string;

  constructor({ name, strict, script, forgives = false, shares = false, renamed = (json) => json }: MakerOptions) {
    this.#name = name;
    this.#strict = strict;
    this.#script = script;
    this.#forgives = forgives;
    this.#shares = shares;
    this.#renamed = renamed;
  }

  readonly fetch = async (url: unknown, init?: { body?: unknown }): Promise<Response> => {
    const text = String(init?.body);
    this.bodies.push(text);
    const body = { ...(JSON.parse(text) as Wired), ...this.#told(new URL(String(url)).pathname) };
    const complaint = this.#complaint(body);
    if (complaint === undefined) return this.#answer(body);
    this.complaints.push(complaint);
    return Response.json({ error: { type: 'invalid_request_error', code: 400, message: complaint } }, { status: 400 });
  };

  /** What a path says of a request stands in its body here. */
  #told(path: string): Wired {
    const [whole, model, method] = this.#strict.path.exec(path) ?? [];
    if (whole === undefined) throw new Error(`${path} is no path of it`);
    return model === undefined ? {} : { model, stream: method === 'streamGenerateContent' };
  }

  #complaint(body: Wired): string | undefined {
    const steps = this.#strict.steps(body);
    for (const step of steps) {
      const made = this.#made.get(this.#keyOf(body, step));
      const foreign = this.#foreign(step, String(body.model)).join('\n');
      const known = made?.join('\n') ?? foreign;
      const said = step.join('\n');
      if (said !== known && !(this.#forgives && said === foreign)) return `expected\n${known}\ngot\n${step.join('\n')}`;
    }
    return this.#strict.complaint(body);
  }

  /** How a step must look that this model did not make. */
  #foreign(step: readonly string[], model: string): readonly string[] {
    const bare = step.filter((mark) => mark.startsWith('call')).map((mark) => mark.replace(/[^|]*$/, ' '));
    const [first, ...rest] = bare;
    return first === undefined ? bare : [this.#strict.foreign?.(first, model) ?? first, ...rest];
  }

  #answer(body: Wired): Response {
    const at = this.#strict.steps(body).length;
    const said = this.#script[at] ?? [{ type: 'text', text: 'Done.' }];
    const pieces = this.#strict.pieces(said, body).map((piece) => this.#signed(piece, at));
    const stop = pieces.some(({ type }) => type === 'call') ? 'tool_calls' : 'stop';
    const name = `${this.#name}${at}`;
    const tokens = { input: 9, cached: 0, output: 9, reasoning: 3 };
    const scene: Scene = { name, pieces, stop, tokens, ending: 'whole' };
    const whole: unknown = JSON.parse(this.#renamed(JSON.stringify(this.#strict.whole(scene, body))));
    const marks = this.#strict.marks(whole);
    this.#made.set(this.#keyOf(body, marks), marks);
    if (body.stream !== true) return Response.json(whole);
    return new Response(this.#renamed(this.#strict.write(scene, body)), {
      headers: { 'content-type': 'text/event-stream' },
    });
  }

  /** Each signature is one that no other provider, model or answer has. */
  #signed(piece: Piece, at: number): Piece {
    if (piece.type !== 'signature' && piece.type !== 'redacted') return piece;
    const secret = btoa(`${this.#name}/${at}/${this.secrets.length}/secrets`);
    this.secrets.push(secret);
    return piece.type === 'signature' ? { ...piece, value: secret } : { ...piece, data: secret };
  }

  /** A step is known by its last call: its ids and arguments are never the same twice. */
  #keyOf({ model }: Wired, marks: readonly string[]): string {
    const last = marks.findLast((mark) => mark.startsWith('call')) ?? '';
    return `${this.#shares ? '' : model}: ${last.replace(/[^|]*$/, '')}`;
  }
}
