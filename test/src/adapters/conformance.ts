/** One suite for every host: each scenario is a test, and each result a mark in a table. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Upstream } from '../support/upstream.ts';
import { gaps } from './gaps.ts';
import type { Host, Setup, Start } from './host.ts';
import { Http1Line } from './lines/http1.ts';
import { fetchOver, type Line } from './lines/line.ts';
import type { Place, Scenario } from './scenario.ts';
import { scenarios } from './scenarios/index.ts';

/** What became of each scenario, by host. */
export const marks = new Map<string, Map<string, 'holds' | 'gap'>>();

/** A host that is built before it starts takes its time. */
const START_MS = 180_000;

/** Plays every scenario on a host. */
export function conformance(name: string, start: Start): void {
  describe(`on ${name}`, () => {
    const apps = new Apps(start);
    const held = new Map<string, 'holds' | 'gap'>();
    marks.set(name, held);
    beforeAll(() => apps.open(), START_MS);
    afterAll(() => apps.close());

    for (const scenario of scenarios) {
      const gap = gaps[name]?.[scenario.name];
      if (gap === undefined)
        test(scenario.name, async () => {
          await scenario.run(await apps.placeOf(scenario));
          held.set(scenario.name, 'holds');
        });
      else
        test(`${scenario.name}, a gap: ${gap.reason}`, async () => {
          const played = apps.placeOf(scenario).then((place) => scenario.run(place));
          const failure = await played.then(
            () => 'nothing: take the gap out of gaps.ts',
            (thrown: unknown) => String(thrown),
          );
          expect(failure).toMatch(gap.says);
          held.set(scenario.name, 'gap');
        });
    }
  });
}

/** The apps of a host: one for each set-up, started when it is first asked for. */
class Apps {
  readonly #start: Start;
  readonly #places = new Map<string, Promise<Place>>();
  readonly #hosts: Host[] = [];
  readonly #lines: Line[] = [];
  #upstream: Upstream | undefined;

  constructor(start: Start) {
    this.#start = start;
  }

  async open(): Promise<void> {
    this.#upstream = await Upstream.start();
    await this.placeOf({});
  }

  placeOf({ setup = {} }: Pick<Scenario, 'setup'>): Promise<Place> {
    const key = JSON.stringify(setup);
    const place = this.#places.get(key) ?? this.#place(setup);
    this.#places.set(key, place);
    return place;
  }

  async close(): Promise<void> {
    for (const line of this.#lines) line.close();
    await Promise.all(this.#hosts.map((host) => host.stop()));
    await this.#upstream?.stop();
  }

  async #place(setup: Omit<Setup, 'upstream'>): Promise<Place> {
    const upstream = this.#upstream as Upstream;
    const host = await this.#start({ ...setup, upstream: upstream.url });
    this.#hosts.push(host);
    const newLine = (connections: number): Line => this.#keep(host.line?.() ?? new Http1Line(connections));
    const line = newLine(Number.POSITIVE_INFINITY);
    const url = host.url + (setup.mount ?? '').replace(/\/v1$/, '');
    return { host, url, upstream, line, newLine, ...(host.line && { fetch: fetchOver(line) }) };
  }

  #keep(line: Line): Line {
    this.#lines.push(line);
    return line;
  }
}

/** The table, hosts across and scenarios down. */
export function table(hosts: readonly string[]): string {
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  const head = hosts.map((name, at) => `${letterOf(at)} ${name}`).join(', ');
  const rows = scenarios.map(({ name }) => {
    const cells = hosts.map((host) => ({ holds: '+', gap: 'o', '': '-' })[marks.get(host)?.get(name) ?? '']);
    return `${name.padEnd(width)}  ${cells.join(' ')}`;
  });
  const letters = `${' '.repeat(width)}  ${hosts.map((_, at) => letterOf(at)).join(' ')}`;
  return [`adapters: ${head}; + holds, o gap, - fails`, letters, ...rows].join('\n');
}

function letterOf(at: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + at);
}
