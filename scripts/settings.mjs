/** The table of settings: their paths from the schema, their defaults from what it makes of nothing, their texts from the code. */
import { readFileSync } from 'node:fs';
import { ConfigError } from '../packages/gateway/src/error.ts';
import { settingPaths, settingsOf } from '../packages/gateway/src/schema.ts';
import { defaultMemoryLimits } from '../packages/gateway/src/store/memory.ts';
import { Source } from './house/source.mjs';
import { table } from './markdown.mjs';

/** @import { Node } from './house/source.mjs' */

/** Where settings are described: the first name of their path, a file of the code, an interface in it. */
const places = /** @type {const} */ ([
  ['', 'gateway/src/config.ts', 'GatewayConfig'],
  ['timeouts', 'gateway/src/config.ts', 'Timeouts'],
  ['limits', 'gateway/src/config.ts', 'GatewayLimits'],
  ['limits', 'core/src/model/limits.ts', 'Limits'],
  ['encoding', 'core/src/codec/encoder.ts', 'EncoderOptions'],
  ['perPrincipal', 'routing/src/limits.ts', 'PrincipalLimits'],
  ['store', 'gateway/src/store/memory.ts', 'MemoryLimits'],
]);

/** Where the documentation has more about a setting. */
const more = new Map([
  ['authorize', 'security.md'],
  ['models', 'routing.md'],
  ['timeouts.drainMs', 'routing.md'],
  ['reasoningSummary', '#reasoning'],
  ['store.ttlMs', '#kept-answers'],
  ['store.maxBytes', '#kept-answers'],
  ['store.maxItems', '#kept-answers'],
  ['store.maxBytesPerPrincipal', '#kept-answers'],
  ['store.maxItemsPerPrincipal', '#kept-answers'],
  ['principalId', '#kept-answers'],
]);

const mark = /(<!-- settings -->).*?(<!-- \/settings -->)/s;
const unlessTold = /[;,] ([^;]+) unless told$/;
const mebibyte = 1024 * 1024;

/** The one setting that a configuration cannot leave out. */
const required = whatIsMissed({});

/**
 * Every setting: its path, the default that holds, what its comment says, and the default that the comment claims.
 * @returns {{ path: string, value: string, text: string, claimed: string | undefined }[]}
 */
export function settings() {
  const texts = new Map(places.flatMap(([name, file, type]) => described(name, file, type)));
  return settingPaths().map((path) => {
    const said = texts.get(path);
    if (said === undefined) throw new Error(`The setting ${path} has no comment where its type is.`);
    const claimed = unlessTold.exec(said)?.[1];
    return {
      path,
      value: written(defaultOf(path)) ?? claimed ?? (path === required ? 'required' : 'none'),
      text: said.replace(unlessTold, ''),
      claimed,
    };
  });
}

/**
 * A text with the table of today between its marks.
 * @param {string} text
 */
export function withSettings(text) {
  const rows = settings().map(({ path, value, text: said }) => {
    const link = more.get(path);
    const name = `\`${path}\``;
    return [link === undefined ? name : `[${name}](${link})`, value, `${said}.`];
  });
  const made = table([['setting', 'default', 'what it is'], ...rows]);
  return text.replace(mark, (_, open, close) => `${open}\n${made}\n${close}`);
}

/**
 * What a setting is when nothing is said; `undefined` where that is nothing, or where a codec decides.
 * @param {string} path
 * @returns {unknown}
 */
function defaultOf(path) {
  const nothing = settingsOf({ models: {} });
  /** @type {unknown} */
  let value = { ...nothing, store: defaultMemoryLimits };
  for (const name of path.split('.'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return value;
}

/** @param {object} config */
function whatIsMissed(config) {
  try {
    settingsOf(config);
  } catch (error) {
    if (error instanceof ConfigError) return error.path;
  }
  return undefined;
}

/** @param {unknown} value */
function written(value) {
  if (typeof value === 'string') return `\`'${value}'\``;
  if (typeof value !== 'number') return undefined;
  return value % mebibyte === 0 ? `${value / mebibyte} MiB` : value.toLocaleString('en');
}

/**
 * The members of an interface by their path, with the one sentence of their comment, its dot taken off.
 * @param {string} name
 * @param {string} file
 * @param {string} type
 * @returns {[path: string, text: string][]}
 */
function described(name, file, type) {
  const source = new Source(file, readFileSync(new URL(`../packages/${file}`, import.meta.url), 'utf8'));
  const declared = source.nodes.find((node) => node.type === 'TSInterfaceDeclaration' && nameOf(node.id) === type);
  if (declared === undefined) throw new Error(`${file} declares no interface ${type}.`);
  const members = source.nodes.filter(
    (node) => node.type === 'TSPropertySignature' && source.parent(node) === declared.body,
  );
  return members.flatMap((member) => {
    const comment = source.comments.findLast(({ end }) => end <= member.start);
    const between = comment && source.text.slice(comment.end, member.start).trim();
    if (comment === undefined || between !== '') return [];
    const text = comment.value
      .replace(/^\*|^\s*\* ?/gm, '')
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/\.$/, '');
    return [[[name, nameOf(member.key)].filter(Boolean).join('.'), text]];
  });
}

/** @param {unknown} node */
function nameOf(node) {
  return /** @type {{ name?: string }} */ (node).name ?? '';
}
