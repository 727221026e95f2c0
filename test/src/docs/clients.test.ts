/** The programs of the page about clients get their answers from the gateway of the README. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { llmGateway } from '@streamglot/express';
import { replay } from '@streamglot/providers';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocks } from '../../../scripts/markdown.mjs';
import { type Serving, serve } from '../express/serve.ts';

const folder = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${folder}../docs/clients.md`, 'utf8');
const programs = codeBlocks(page).flatMap(({ language, code }) => (language === 'js' ? [code] : []));
const run = promisify(execFile);

let app: Serving;

beforeAll(async () => {
  const config = { providers: { demo: replay() }, models: { fast: 'demo/scripted' as const } };
  app = await serve(express().use(llmGateway(config)));
});

afterAll(() => app[Symbol.asyncDispose]());

test('the page has a program for each kind of client', () => {
  expect(programs).toHaveLength(7);
});

test.each(programs.map((code, at) => ({ code, number: at + 1 })))(
  'program $number prints the answer',
  async ({ code }) => {
    const here = code.replaceAll('http://127.0.0.1:3000', app.url);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', here], { cwd: folder });
    expect(stdout).toMatch(/^You said “Hello!”\..* without a model behind it\.$/);
  },
);
