/** A thousand streams, half of them left at a random moment, leave nothing behind: the short form of `npm run soak`. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sources = ['--conditions=@streamglot/source', '--import', 'tsx'];

interface Findings {
  requests: number;
  endings: Record<string, number>;
  wrong: readonly string[];
}

it('a thousand streams with random aborts leave no request, socket, handle or memory behind', async () => {
  const command = [...sources, 'bench/src/http/soak.mjs', '1000', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root });
  const { requests, endings, wrong } = JSON.parse(stdout) as Findings;
  expect(wrong).toEqual([]);
  expect(requests).toBeGreaterThan(900);
  expect(Object.keys(endings).sort()).toEqual(['client-closed', 'completed', 'truncated']);
}, 120_000);
