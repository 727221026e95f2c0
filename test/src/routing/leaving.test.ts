/** Clients leave a thousand times at each point of an answer; its upstream is let go at once, and nothing is left. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Found } from './leaving/run.ts';

const program = fileURLToPath(new URL('leaving/run.ts', import.meta.url));
const how = ['--expose-gc', '--conditions=@streamglot/source', '--import', 'tsx', program, '1000'];

const points = [
  'before the head',
  'before output',
  'in a text',
  'in a tool call',
  'after the end',
  'while it reads nothing',
];

interface Report {
  readonly found: Readonly<Record<string, Found>>;
  readonly warnings: readonly string[];
  /** The longest time for which the program's loop stood still: what took longer may have been the machine. */
  readonly stallMs: number;
}

let report: Report;

beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, how);
  report = JSON.parse(stdout) as Report;
}, 240_000);

afterAll(() => {
  const lines = Object.entries(report.found).map(([name, one]) => {
    const [median, worst] = [one.medianMs, one.worstMs].map((ms) => `${ms.toFixed(1)} ms`);
    const heap = `${one.heapPerLeaving} ± ${one.heapError} B of heap each`;
    return `${name.padEnd(22)} ${one.left} left, closed in ${median}, worst ${worst}, ${JSON.stringify(one.outcomes)}, ${heap}`;
  });
  process.stdout.write(`\n${lines.join('\n')}\nlongest stall of the loop: ${report.stallMs.toFixed(1)} ms\n`);
});

/** Bytes of heap for each: what compiled code and pools still grow by. A request that is kept has tens of thousands. */
const mostLeaked = 2_000;

test.each(points)('a client that leaves %s', (point) => {
  const found = report.found[point] as Found;
  const outcome = point === 'after the end' ? 'completed' : 'abandoned';
  expect(found).toMatchObject({ left: 1_000, inFlight: 0, failures: 0, standing: 'healthy', timers: 0 });
  expect(Object.keys(found.outcomes)).toEqual([outcome]);
  expect(found.medianMs).toBeLessThan(50);
  expect(found.worstMs).toBeLessThan(250 + report.stallMs);
  expect(found.heapPerLeaving - 2 * found.heapError).toBeLessThan(mostLeaked);
});

test('no listener is added without end', () => {
  expect(report.warnings).toEqual([]);
});
