/** The product as a host mounts it, in a process of its own: Express and the gateway, before the upstream in its first argument. */
import { dialects } from '@streamglot/core';
import { llmGateway } from '@streamglot/express';
import { compatible } from '@streamglot/providers';
import express from 'express';
import { listen } from './child.mjs';

/** @import { KnownDialect } from '@streamglot/core' */

const upstream = process.argv[2] ?? '';
const ways = ['burst', 'brisk', 'paced', 'idle', 'torn'];
const known = /** @type {KnownDialect[]} */ (Object.keys(dialects));
const names = ways.flatMap((way) => known.map((dialect) => ({ name: `${way}-${dialect}`, way, dialect })));

const providers = Object.fromEntries(
  names.map(({ name, way, dialect }) => [
    name,
    compatible({ name, dialect, baseURL: `${upstream}/${way}/product/v1`, apiKey: 'bench' }),
  ]),
);
const models = Object.fromEntries(names.map(({ name }) => [name, /** @type {const} */ (`${name}/bench-model`)]));

/** How many requests came, how many answers ended and how, and what nobody caught. @type {Record<string, number>} */
const counts = { requests: 0, uncaught: 0 };
for (const lost of ['unhandledRejection', 'uncaughtException']) process.on(lost, () => count('uncaught'));

/** @param {string} what */
function count(what) {
  counts[what] = (counts[what] ?? 0) + 1;
}

const gateway = llmGateway({
  providers,
  models,
  authorize: 'host',
  observe: (event) => event.type === 'ending' && count(event.ending),
});
const app = express().use((_request, _response, next) => next(count('requests')), gateway);
listen(app, counts);
