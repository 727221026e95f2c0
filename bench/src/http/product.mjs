/** The product as a host mounts it, in a process of its own: Express and the gateway. Its upstream is the first argument. */
import { dialects } from '@streamglot/core';
import { llmGateway } from '@streamglot/express';
import { compatible } from '@streamglot/providers';
import express from 'express';
import { listen } from './child.mjs';

/** @import { KnownDialect } from '@streamglot/core' */

const upstream = process.argv[2] ?? '';
const ways = ['burst', 'paced', 'idle'];
const known = /** @type {KnownDialect[]} */ (Object.keys(dialects));
const names = ways.flatMap((way) => known.map((dialect) => ({ name: `${way}-${dialect}`, way, dialect })));

const providers = Object.fromEntries(
  names.map(({ name, way, dialect }) => [
    name,
    compatible({ name, dialect, baseURL: `${upstream}/${way}/product/v1`, apiKey: 'bench' }),
  ]),
);
const models = Object.fromEntries(names.map(({ name }) => [name, /** @type {const} */ (`${name}/bench-model`)]));

listen(express().use(llmGateway({ providers, models, authorize: 'host' })));
