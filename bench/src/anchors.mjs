/** Streams and floor from ../shared/bench where they lie beside the repository, else the bench's own. */
import { existsSync, realpathSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ownParts } from './floor.mjs';
import { streams } from './streams.mjs';

/** @import { FloorParts } from './floor.mjs' */
/** @import { Kind, Stream, StreamMaker } from './streams.mjs' */

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = `${process.env.STREAMGLOT_SHARED ?? `${root}../shared`}/bench`;

/** The shared code's names for dialects, and for its makers of streams. */
const sharedName = /** @type {Record<string, string>} */ ({
  chat: 'chat',
  messages: 'anthropic',
  responses: 'responses',
});
const sharedMaker = /** @type {Record<string, string>} */ ({
  'chat text': 'chatText',
  'messages text': 'anthropicText',
  'messages tool': 'anthropicTool',
  'responses text': 'responsesText',
});

/**
 * What the measurements stand on.
 * @typedef {{ origin: string, parts: FloorParts, stream: (dialect: string, kind: Kind, events: number) => Stream }} Anchors
 */

/** @returns {Promise<Anchors>} */
export async function anchors() {
  if (!existsSync(`${folder}/floor.mjs`))
    return { origin: `none at ${folder}: the bench's own streams and floor`, parts: ownParts, stream: ownStream };
  // The shared floor names packages that are not installed beside it; they resolve from here.
  register('./hooks.mjs', import.meta.url, { data: pathToFileURL(realpathSync(folder)).href });
  const fixtures = await import(pathToFileURL(`${folder}/fixtures.mjs`).href);
  const { StrSplit, D, E_OBJ } = await import(pathToFileURL(`${folder}/floor.mjs`).href);
  return {
    origin: folder,
    parts: { StrSplit, D: renamed(D, ownParts.D), E_OBJ: renamed(E_OBJ, ownParts.E_OBJ) },
    stream(dialect, kind, events) {
      const make = fixtures[sharedMaker[`${dialect} ${kind}`] ?? ''];
      return make === undefined ? ownStream(dialect, kind, events) : toStream(make(events));
    },
  };
}

/**
 * @template T
 * @param {Record<string, T>} shared by the shared code's names
 * @param {Record<string, T>} own
 */
function renamed(shared, own) {
  const entries = Object.entries(sharedName).map(([name, theirs]) => /** @type {const} */ ([name, shared[theirs]]));
  return {
    ...own,
    .../** @type {Record<string, T>} */ (Object.fromEntries(entries.filter(([, part]) => part !== undefined))),
  };
}

/** @type {Anchors['stream']} */
function ownStream(dialect, kind, events) {
  const make = streams[dialect]?.[kind];
  if (make === undefined) throw new RangeError(`bench/src/streams.mjs has no ${kind} stream of ${dialect}`);
  return make(events);
}

/**
 * @param {{ frames: string[], text: string, args?: string }} fixture
 * @returns {Stream}
 */
function toStream({ frames, text, args = '' }) {
  return { frames, text, input: args };
}
