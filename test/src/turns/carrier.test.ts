/** The carrier as a text: what it may stand in, and what is read of one that somebody changed. */
import { describe, expect, test } from 'vitest';
import {
  type Carried,
  decodeCarrier,
  encodeCarrier,
  isCarrier,
  splitId,
  withCarrier,
} from '../../../packages/core/src/codec/carrier.ts';
import { familyOf } from '../../../packages/core/src/codec/family.ts';
import { checksum } from '../../../packages/core/src/codec/ids.ts';

const origin = { provider: 'anthropic', dialect: 'messages', family: 'claude-opus-4-5' } as const;

const carried = (text: string): Carried => ({
  ...origin,
  blobs: [{ kind: 'signature', value: 'EqQBCkYIBxgCKkA3+hT1/Zp0b2tlbg==', on: 'thought', text, id: 'toolu_1' }],
});

const texts = ['', 'a', 'ab', 'abc', '> ? ~ \x7f \x00', '"\\\u2028', '東京 🙂 \ud800', 'x'.repeat(10_000)];

function made(text: string): string {
  return encodeCarrier(carried(text)) ?? '';
}

describe('a carrier', () => {
  test.each(texts)('of %j holds what was put in', (text) => {
    expect(decodeCarrier(made(text))).toEqual(carried(text));
  });

  test.each(texts)(
    'of %j is base64 in both alphabets, whole without padding, and legal in the id of a call',
    (text) => {
      expect(made(text)).toMatch(/^c3RyZWFtZ2xvdDE6[a-zA-Z0-9]+$/);
      expect(made(text).length % 4).toBe(0);
    },
  );

  test('is the same after a client has read its bytes and written them in the other alphabet', () => {
    const carrier = made('a > b');
    expect(Buffer.from(carrier, 'base64').toString('base64url')).toBe(carrier);
  });

  test('without blobs says who made something', () => {
    expect(decodeCarrier(encodeCarrier({ ...origin, blobs: [] }) ?? '')).toEqual({ ...origin, blobs: [] });
  });

  test('is not made of more than a client could be asked to keep', () => {
    expect(encodeCarrier(carried('x'.repeat(2 ** 20)))).toBeUndefined();
  });
});

describe('a carrier that was changed', () => {
  const whole = made('some text');
  const other = (version: string): string => btoa(`streamglot${version}:${atob(whole).slice(12)}`).replace(/=+$/, '');

  test.each([
    ['of a later version', other('2')],
    ['of a much later version', other('17')],
    ['that was cut short', whole.slice(0, -8)],
    ['that was cut to its beginning', whole.slice(0, 20)],
    ['in which one letter differs', whole.slice(0, 60) + (whole[60] === 'a' ? 'b' : 'a') + whole.slice(61)],
    ['with something behind it', `${whole}AAAA`],
    ['with a line break in it', `${whole.slice(0, 76)}\n${whole.slice(76)}`],
  ])('%s is known for one and holds nothing', (_what, text) => {
    expect([isCarrier(text), decodeCarrier(text)]).toEqual([true, undefined]);
  });

  test.each([
    ['no object', 'null'],
    ['no list of blobs', '{"p":"a","d":"chat","f":"b","b":7}'],
    ['a blob of no kind', '{"p":"a","d":"chat","f":"b","b":[{"k":"x","v":"y","o":"call"}]}'],
    ['a blob without value', '{"p":"a","d":"chat","f":"b","b":[{"k":"signature","o":"call"}]}'],
    ['no provider', '{"d":"chat","f":"b","b":[]}'],
  ])('holds nothing where it has %s', (_what, json) => {
    const forge = (text: string): string => btoa(`streamglot1:${checksum(text)}${text}`).replace(/=+$/, '');
    expect(decodeCarrier(forge('{"p":"a","d":"chat","f":"b","b":[]}'))).toBeDefined();
    expect(decodeCarrier(forge(json))).toBeUndefined();
  });

  test.each(['', 'c3R', 'EqQBCkYIBxgCKkA3', 'call_1', '\u0000', 'c3RyZWFtZ2xv'])('%j is none', (text) => {
    expect([isCarrier(text), decodeCarrier(text)]).toEqual([false, undefined]);
  });
});

describe('the id of a call', () => {
  const carrier = made('text');

  test.each(['call_1', 'functions.look:0', '', 'a__b'])('%j is itself again without its carrier', (id) => {
    expect(splitId(withCarrier(id, carrier))).toEqual({ id, carrier });
    expect(splitId(id)).toEqual({ id });
  });

  test('is itself again where the carrier was cut', () => {
    expect(splitId(withCarrier('call_1', carrier).slice(0, 64)).id).toBe('call_1');
  });

  test('carries nothing that is too long for an id', () => {
    expect(withCarrier('call_1', made('x'.repeat(40_000)))).toBe('call_1');
  });
});

test.each([
  ['claude-opus-4-5-20251101', 'claude-opus-4-5', true],
  ['claude-opus-4-5@20251101', 'claude-opus-4-5', true],
  ['claude-opus-4-5', 'claude-sonnet-4-5', false],
  ['gpt-5.1', 'gpt-5-mini-2025-08-07', true],
  ['gpt-5.1', 'o4-mini', false],
  ['o3', 'o4-mini', true],
  ['gemini-3-pro-preview', 'gemini-3.1-flash', true],
  ['gemini-3-pro-preview', 'gemini-2.5-pro', false],
  ['gemini-2.0-flash', 'gemini-2.5-flash', false],
  ['publishers/google/models/gemini-3-pro', 'gemini-3-flash', true],
  ['grok-4-0709', 'grok-4-fast-reasoning', true],
  ['grok-3-mini', 'grok-4', false],
  ['team/qwen3-next', 'qwen3-next', true],
  ['deepseek-v3.2', 'kimi-k2', false],
])('%s and %s are of one family: %s', (one, other, isSame) => {
  expect(familyOf(one) === familyOf(other)).toBe(isSame);
});
