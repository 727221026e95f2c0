/** What a client gets of its own dialect where several providers speak it: the answer as it came, but for what only its maker can read. */
import {
  createReader,
  decodeRequest,
  defaultLimits,
  dialectOf,
  type FrameEvents,
  Ids,
  type KnownDialect,
} from '@streamglot/core';
import { describe, expect, test } from 'vitest';
import { decodeCarrier, isCarrier } from '../../../packages/core/src/codec/carrier.ts';
import { inFrontOf } from './loop.ts';
import { Maker, type Script } from './maker.ts';
import { rows } from './rows.ts';
import { hidden, scripts } from './scripts.ts';
import type { Wired } from './wired.ts';

const ids = Object.keys(rows) as KnownDialect[];
const all = Object.entries({ ...scripts, 'thinking that nobody may read': hidden });

const made = (dialect: KnownDialect, name: string, script: Script = []): { maker: Maker; dialect: KnownDialect } => ({
  maker: new Maker({ name, strict: rows[dialect].strict, script }),
  dialect,
});

/** The first answer to a client of a dialect; `several` says whether another provider speaks it too. */
async function answered(dialect: KnownDialect, script: Script, stream: boolean, several: boolean): Promise<Answered> {
  const { speaker, strict } = rows[dialect];
  const one = made(dialect, 'one', script);
  const gateway = inFrontOf({ one, ...(several && { two: made(dialect, 'two') }) }, [`one/${strict.models[0]}`]);
  const { path, body, query } = speaker.ask('m0', speaker.user('Hi'), stream);
  const { text } = await gateway.ask(path, body, query === undefined ? {} : { query });
  return { text, secrets: one.maker.secrets };
}

interface Answered {
  text: string;
  secrets: readonly string[];
}

/** A text with what its carriers hold in their place. */
function opened(text: string): string {
  return text.replaceAll(/c3RyZWFtZ2xvdDE6[a-zA-Z0-9]+/g, (carrier) => decodeCarrier(carrier)?.blobs[0]?.value ?? '');
}

/** The stage that a dialect gives to the answer to a request of its own. */
function stageOf(dialect: KnownDialect, seals: boolean): (frames: readonly FrameEvents[]) => readonly FrameEvents[] {
  const { path, body, query = {} } = rows[dialect].speaker.ask('m', rows[dialect].speaker.user('Hi'), true);
  const { request, context } = decodeRequest(dialect, { path, query, headers: {}, body });
  const { restore } = dialectOf(dialect).encodeRequest(
    request,
    { ...context, seals },
    { stream: true, provider: 'here' },
  );
  return (frames) => (restore === undefined ? frames : frames.flatMap((frame) => restore.push(frame)));
}

describe.each(ids)('an answer of %s', (dialect) => {
  test.each(all)('with %s is as it came but for its opaque values', async (_name, script) => {
    for (const stream of [true, false]) {
      const plain = await answered(dialect, script, stream, false);
      const sealed = await answered(dialect, script, stream, true);
      expect(opened(sealed.text)).toBe(plain.text);
      for (const secret of sealed.secrets) expect(sealed.text).not.toContain(secret);
    }
  });

  test.each(all)('with %s tells nothing of them where it is written anew', async (_name, script) => {
    const { text, secrets } = await answered(dialect, script, true, false);
    const reader = createReader(dialectOf(dialect), { ids: new Ids('seed'), contentType: 'text/event-stream' });
    const encoder = dialectOf(dialect).encoder({ ids: new Ids('seed'), limits: defaultLimits });
    const frames = stageOf(dialect, true)([...reader.push(text), ...reader.end()]);
    const bare = frames.map((events) => events.map(({ native: _, ...event }) => event));
    const written = bare.map((events) => encoder.push(events)).join('') + encoder.end();
    for (const secret of secrets) expect(written).not.toContain(secret);
  });

  test('is not looked at where one provider speaks the dialect', async () => {
    const { text } = await answered(dialect, hidden, true, false);
    const reader = createReader(dialectOf(dialect), { ids: new Ids('seed'), contentType: 'text/event-stream' });
    const frames = reader.push(text);
    const after = stageOf(dialect, false)(frames);
    expect(after.every((events, at) => events === frames[at])).toBe(true);
  });
});

describe('a Chat answer with details of its reasoning', () => {
  const details = [
    { type: 'reasoning.text', text: 'So.', signature: 'c2lnbmVk', index: 0 },
    { type: 'reasoning.encrypted', data: 'dmVpbGVk', id: 'rs_1', index: 1 },
  ];
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const message = {
    role: 'assistant',
    content: null,
    reasoning: 'So.',
    reasoning_details: details,
    thinking_blocks: [{ type: 'thinking', thinking: 'So.', signature: 'c2lnbmVk' }],
    tool_calls: [call],
  };

  /** The message as its client gets it. */
  function got(): Wired {
    const choices = [{ index: 0, finish_reason: 'tool_calls', message: structuredClone(message) }];
    const completion = { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices };
    const frame = dialectOf('chat').decodeResponse(completion, { ids: new Ids('seed'), limits: defaultLimits });
    const [events = []] = stageOf('chat', true)([frame]);
    const whole = events.find(({ native }) => native?.whole !== undefined)?.native?.whole;
    return ((whole as Wired).choices as { message: Wired }[])[0]?.message ?? {};
  }

  /** The message as the provider of a name gets it back. */
  function sentBack(kept: Wired, provider: string): { message: unknown; losses: number } {
    const body = { model: 'm', messages: [kept, { role: 'tool', tool_call_id: 'call_1', content: 'r' }] };
    const { request, context } = decodeRequest('chat', { path: '/', query: {}, headers: {}, body });
    const encoded = dialectOf('chat').encodeRequest(request, context, { stream: false, provider });
    return { message: (encoded.body.messages as unknown[])[0], losses: encoded.losses.length };
  }

  test('goes out with carriers in them', () => {
    const { reasoning_details: sealed, thinking_blocks: blocks } = got() as Record<string, Record<string, string>[]>;
    const values = [sealed?.[0]?.signature, sealed?.[1]?.data, blocks?.[0]?.signature];
    expect(values.map(isCarrier)).toEqual([true, true, true]);
  });

  test('comes back to its maker as it was', () => {
    expect(sentBack(got(), 'here')).toEqual({ message, losses: 0 });
  });

  test('comes to another provider without any of it', () => {
    const bare = { role: 'assistant', content: null, tool_calls: [call] };
    expect(sentBack(got(), 'elsewhere')).toEqual({ message: bare, losses: 3 });
  });
});
