/** A page that reads streams of one dialect bundles that dialect's answers alone. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { dialects } from '@streamglot/core';
import { build } from 'vite';
import { expect, test } from 'vitest';

const packages = join(import.meta.dirname, '../../../packages/');
const entry = join(import.meta.dirname, 'app.js');

/** The modules and the code that are left of an app which uses a few exports. */
async function bundled(code: string): Promise<{ modules: string[]; code: string }> {
  const built = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'error',
    plugins: [
      { name: 'app', resolveId: (id) => (id === entry ? id : null), load: (id) => (id === entry ? code : null) },
    ],
    resolve: { conditions: ['@streamglot/source', 'browser'] },
    build: { target: 'es2023', write: false, modulePreload: false, rolldownOptions: { input: entry } },
  });
  const chunks = [built]
    .flat()
    .flatMap((one) => ('output' in one ? one.output : []))
    .filter((one) => one.type === 'chunk');
  return {
    modules: chunks.flatMap(({ modules }) => Object.keys(modules).filter((id) => modules[id]?.renderedLength)),
    code: chunks.map((one) => one.code).join(''),
  };
}

const kinds = ['reader', 'decoder', 'encoder'] as const;

test.each(Object.keys(dialects).flatMap((dialect) => kinds.map((kind) => ({ dialect, kind }))))(
  'an app with the $kind of $dialect holds nothing but its answers',
  async ({ dialect, kind }) => {
    const from = `@streamglot/core/${dialect}`;
    const { modules, code } = await bundled(`import { ${kind} } from '${from}'; globalThis.made = ${kind};`);
    const foreign = modules.filter((id) => id !== entry && !isOwn(id, dialect));
    expect(foreign.filter((id) => kind !== 'reader' || !id.includes('/eventsource-parser/'))).toEqual([]);
    expect(code.match(/["']node:|\brequire\(/g) ?? []).toEqual([]);
  },
);

test.each([
  ['{ reader }', 14_000],
  ['{ decoder, encoder }', 16_000],
])('an app with %s of messages is under %d bytes', async (parts, limit) => {
  const { code } = await bundled(`import ${parts} from '@streamglot/core/messages'; globalThis.made = ${parts};`);
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(limit);
});

test('an app with all of the dialect holds the schema library, so the others are seen to lack it', async () => {
  const { modules } = await bundled(
    `import { messages } from '@streamglot/core/messages'; globalThis.made = messages;`,
  );
  expect(modules.some((id) => id.includes('/zod/'))).toBe(true);
});

/** Whether a module is core's, and neither another dialect's nor about requests. */
function isOwn(id: string, dialect: string): boolean {
  if (!id.startsWith(`${packages}core/src/`)) return false;
  const path = id.slice(`${packages}core/src/`.length);
  return path.startsWith('dialects/')
    ? path.startsWith(`dialects/${dialect}/`) && !/\/(request|schema|turns|options)\.ts$/.test(path)
    : !path.startsWith('codec/validate');
}
