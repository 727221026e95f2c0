/** Each house rule catches a planted violation, and lets its lawful counterpart pass. */
import { expect, test } from 'vitest';
import { House } from '../../../scripts/house/house.mjs';
import { judge, rules } from '../../../scripts/rules.mjs';

const dialects = 'packages/core/src/dialects';
const file = (body: string): string => `/** What it is for. */\n${body}`;
const lines = (count: number): string => file('const a = 1;\n'.repeat(count - 1));
const functionOf = (count: number): string => file(`function f() {${'\n'.repeat(count - 1)}}\n`);
const dialect = Object.fromEntries(
  ['schema', 'terms', 'decode', 'encode', 'request', 'response', 'error', 'index'].map((name) => [
    `${dialects}/chat/${name}.ts`,
    file(''),
  ]),
);

interface Planting {
  /** What the file holds that breaks the rule, by path. */
  bad: Record<string, string>;
  /** The nearest thing that keeps it. */
  good: Record<string, string>;
  /** Where the violation is reported, unless at line 2 of the first bad file. */
  at?: string;
}

const plantings: Readonly<Record<string, readonly Planting[]>> = {
  readable: [
    { bad: { 'scripts/a.mjs': file('let = ;') }, good: { 'scripts/a.mjs': file('let a;') }, at: 'scripts/a.mjs:1' },
  ],
  vendor: [
    {
      bad: { ...dialect, [`${dialects}/chat/terms.ts`]: file("const a = 'gpt-9';") },
      good: { ...dialect, [`${dialects}/chat/terms.ts`]: file("const a = 'anthropic-version'; // as Anthropic says") },
      at: `${dialects}/chat/terms.ts:2`,
    },
    {
      bad: { ...dialect, [`${dialects}/chat/terms.ts`]: file('const forClaude = 1;') },
      good: { ...dialect, [`${dialects}/chat/terms.ts`]: file('const forClients = 1;') },
      at: `${dialects}/chat/terms.ts:2`,
    },
  ],
  console: [
    {
      bad: { 'packages/node/src/a.ts': file("console.log('x');") },
      good: {
        'packages/node/src/a.ts': file("// console.log\nconst a = 'console.log()';"),
        'scripts/a.mjs': file('console.log(1);'),
      },
    },
  ],
  pure: [
    {
      bad: { 'packages/core/src/a.ts': file("import 'node:fs';") },
      good: { 'packages/node/src/a.ts': file("import 'node:fs';") },
    },
    {
      bad: { 'packages/core/src/a.ts': file('Date.now();') },
      good: { 'packages/core/src/a.ts': file('Date.parse(text);') },
    },
    {
      bad: { 'packages/core/src/a.ts': file('new Date();') },
      good: { 'packages/core/src/a.ts': file('new Date(0);') },
    },
    {
      bad: { 'packages/core/src/a.ts': file('process.env;') },
      good: { 'packages/core/src/a.ts': file('this.process();') },
    },
  ],
  privacy: [
    {
      bad: { 'packages/core/src/a.ts': file('class A { private a = 1; }') },
      good: { 'packages/core/src/a.ts': file('class A { #a = 1; private constructor() {} }') },
    },
  ],
  place: [
    {
      bad: { 'docs/a.md': `\nsee /${'home'}/me/notes\n` },
      good: { 'docs/a.md': '\nGET /v1/home/page, ../work/x, https://example.com/work/x\n' },
    },
    { bad: { 'docs/a.md': `\nhttps://registry.${'npmjs'}.org/x\n` }, good: { 'docs/a.md': '\nregistry.ts\n' } },
  ],
  extension: [
    {
      bad: { 'scripts/a.mjs': file("import './b';"), 'scripts/b.mjs': file('') },
      good: { 'scripts/a.mjs': file("import './b.mjs';"), 'scripts/b.mjs': file('') },
    },
  ],
  arrows: [
    {
      bad: { 'packages/core/src/a.ts': file("import '@streamglot/gateway';") },
      good: { 'packages/gateway/src/a.ts': file("import '@streamglot/core/chat';") },
    },
    {
      bad: { 'packages/providers/src/a.ts': file("import '@streamglot/routing';") },
      good: { 'packages/gateway/src/a.ts': file("import '@streamglot/routing';") },
    },
    {
      bad: {
        'packages/node/src/a.ts': file("export type { A } from '../../core/src/b.ts';"),
        'packages/core/src/b.ts': file(''),
      },
      good: { 'packages/node/src/a.ts': file("import './b.ts';"), 'packages/node/src/b.ts': file('') },
    },
    {
      bad: { 'packages/nowhere/src/a.ts': file('') },
      good: { 'packages/cli/src/a.ts': file('') },
      at: 'packages/nowhere/src/a.ts:1',
    },
  ],
  workers: [
    {
      bad: { 'packages/web/src/a.ts': file("import 'node:zlib';") },
      good: { 'packages/node/src/a.ts': file("import 'node:zlib';") },
    },
    {
      bad: { 'packages/next/src/index.ts': file("import '@streamglot/node';") },
      good: { 'packages/next/src/pages.ts': file("import '@streamglot/node';") },
    },
  ],
  circles: [
    {
      bad: {
        'scripts/a.mjs': file("import './b.mjs';"),
        'scripts/b.mjs': file("export * from './c.mjs';"),
        'scripts/c.mjs': file("const a = () => import('./a.mjs');"),
      },
      good: { 'scripts/a.mjs': file("import './b.mjs';"), 'scripts/b.mjs': file('') },
      at: 'scripts/a.mjs:1',
    },
    {
      bad: { 'packages/core/src/a.ts': file("import type { A } from './a.ts';") },
      good: { 'packages/core/src/a.ts': file('') },
      at: 'packages/core/src/a.ts:1',
    },
  ],
  siblings: [
    {
      bad: { ...dialect, [`${dialects}/chat/decode.ts`]: file("import type { A } from '../messages/terms.ts';") },
      good: { ...dialect, [`${dialects}/chat/decode.ts`]: file("import { a } from './terms.ts';") },
      at: `${dialects}/chat/decode.ts:2`,
    },
    {
      bad: { ...dialect, [`${dialects}/chat/decode.ts`]: file("import { object } from 'zod/mini';") },
      good: { ...dialect, [`${dialects}/chat/schema.ts`]: file("import { object } from 'zod/mini';") },
      at: `${dialects}/chat/decode.ts:2`,
    },
    {
      bad: { ...dialect, [`${dialects}/chat/decode.ts`]: file("import { parseJson } from '../../codec/json.ts';") },
      good: { ...dialect, [`${dialects}/chat/decode.ts`]: file("import { parseJson } from '../../dialect.ts';") },
      at: `${dialects}/chat/decode.ts:2`,
    },
  ],
  registry: [
    {
      bad: {
        'packages/core/src/dialect.ts': file("import './dialects/index.ts';"),
        [`${dialects}/index.ts`]: file(''),
      },
      good: { 'packages/core/src/index.ts': file("import './dialects/index.ts';"), [`${dialects}/index.ts`]: file('') },
    },
  ],
  caption: [
    {
      bad: { 'scripts/a.mjs': 'let a;\n' },
      good: { 'scripts/a.mjs': '#!/usr/bin/env node\n/** A tool. */\n' },
      at: 'scripts/a.mjs:1',
    },
    {
      bad: { 'scripts/a.mjs': '/** One. Two. */\n' },
      good: { 'scripts/a.mjs': '/** One: for v1.2 and later. */\n' },
      at: 'scripts/a.mjs:1',
    },
  ],
  'file-size': [
    { bad: { 'scripts/a.mjs': lines(400) }, good: { 'scripts/a.mjs': lines(399) }, at: 'scripts/a.mjs:1' },
    {
      bad: { 'packages/express/src/a.ts': lines(60) },
      good: { 'packages/express/src/a.ts': lines(59) },
      at: 'packages/express/src/a.ts:1',
    },
    {
      bad: { 'examples/x/src/a.ts': lines(40) },
      good: { 'examples/x/src/a.ts': lines(39) },
      at: 'examples/x/src/a.ts:1',
    },
  ],
  'function-size': [
    { bad: { 'scripts/a.mjs': functionOf(60) }, good: { 'scripts/a.mjs': functionOf(59) } },
    {
      bad: { 'test/src/a.test.ts': file(`test('a', () => {${'\n'.repeat(60)}});`) },
      good: { 'test/src/a.test.ts': file(`describe('a', () => {${'\n'.repeat(60)}});`) },
    },
  ],
  drawer: [
    { bad: { 'docs/utils/a.md': '' }, good: { 'docs/utilities.md': '' }, at: 'docs/utils/a.md:1' },
    {
      bad: { 'packages/core/src/types.ts': file('') },
      good: { 'packages/core/src/type.ts': file('') },
      at: 'packages/core/src/types.ts:1',
    },
  ],
  names: [
    {
      bad: { 'scripts/myTool.mjs': file('') },
      good: { 'scripts/json-array.test.ts': file('') },
      at: 'scripts/myTool.mjs:1',
    },
  ],
  'file-set': [
    {
      bad: { [`${dialects}/chat/index.ts`]: file('') },
      good: { ...dialect, [`${dialects}/chat/calls.ts`]: file('') },
      at: `${dialects}/chat/schema.ts:1`,
    },
  ],
  documented: [
    {
      bad: {
        'packages/core/src/a.ts': '/** The caption is not the sentence of what follows. */\nexport const a = 1;\n',
      },
      good: { 'packages/core/src/a.ts': file('/** One. */\nexport const a = 1;\nexport { b } from "c";') },
    },
    {
      bad: { 'packages/core/src/a.ts': file('// One.\nexport function a() {}') },
      good: { 'packages/core/src/a.ts': file('/** One. */\nexport function a(b: 1): 1;\nexport function a(b: 2): 2;') },
      at: 'packages/core/src/a.ts:3',
    },
  ],
};

const verdict = (files: Record<string, string>): readonly string[] => judge(new House(new Map(Object.entries(files))));
const cases = Object.entries(plantings).flatMap(([rule, list]) =>
  list.map((planting, number) => ({ rule, number: number + 1, ...planting })),
);

test('every rule has a planted violation', () => {
  expect(Object.keys(plantings).sort()).toEqual(rules.map(({ name }) => name).sort());
});

test.each(cases)('$rule catches planting $number where it stands', ({ rule, bad, at }) => {
  const where = at ?? `${Object.keys(bad)[0]}:2`;
  expect(
    verdict(bad)
      .filter((line) => line.includes(` ${rule}: `))
      .map((line) => line.split(' ')[0]),
  ).toContain(where);
});

test.each(cases)('$rule lets the lawful counterpart of planting $number pass', ({ rule, good }) => {
  expect(verdict(good).filter((line) => line.includes(` ${rule}: `))).toEqual([]);
});
