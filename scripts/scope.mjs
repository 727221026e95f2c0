/** A registry of the packed tarballs alone, for npm's scoped packages, so that `npm install` is run as it is written. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/**
 * Serves the tarballs of a folder under their own names; returns the address, and what ends it.
 * @param {string} folder
 */
export async function served(folder) {
  /** @type {Map<string, string | Buffer>} */
  const files = new Map();
  const server = createServer(({ url = '' }, response) => {
    const file = files.get(decodeURIComponent(url));
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const base = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : ''}`;
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.tgz'))) {
    const tarball = readFileSync(`${folder}/${name}`);
    const manifest = manifestOf(`${folder}/${name}`);
    files.set(`/${name}`, tarball);
    files.set(`/${manifest.name}`, JSON.stringify(packument(manifest, `${base}/${name}`, tarball)));
  }
  return { base, close: () => server.close() };
}

/**
 * @param {string} path
 * @returns {{ name: string, version: string }}
 */
function manifestOf(path) {
  return JSON.parse(execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' }));
}

/**
 * @param {{ name: string, version: string }} manifest
 * @param {string} url
 * @param {Buffer} tarball
 */
function packument(manifest, url, tarball) {
  const { name, version } = manifest;
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const versions = { [version]: { ...manifest, dist: { tarball: url, integrity } } };
  return { name, 'dist-tags': { latest: version }, versions };
}
