/** Dialects, translators and events as the types have them; the compiler is the judge. */
import {
  type AnswerDecoders,
  type CanonicalEvent,
  createTranslator,
  type Dialect,
  dialects,
  type FrameEvents,
  type KnownDialect,
  type Stage,
  type Translator,
} from '@streamglot/core';
import * as chat from '@streamglot/core/chat';
import * as gemini from '@streamglot/core/gemini';
import * as interactions from '@streamglot/core/interactions';
import * as messages from '@streamglot/core/messages';
import * as responses from '@streamglot/core/responses';
import { createTranslator as translatorOf } from '@streamglot/core/translator';
import { expect, expectTypeOf, test } from 'vitest';

test('the registry has the known dialects', () => {
  expectTypeOf<KnownDialect>().toEqualTypeOf<'chat' | 'messages' | 'responses' | 'gemini' | 'interactions'>();
  expectTypeOf(dialects).toEqualTypeOf<Readonly<Record<KnownDialect, Dialect>>>();
  expect([chat.chat, messages.messages, responses.responses, gemini.gemini, interactions.interactions]).toEqual(
    Object.values(dialects),
  );
});

test.each([chat, messages, responses, gemini, interactions])(
  '$decoder.name and its kin are those of the dialect',
  (entry) => {
    expectTypeOf(entry).toExtend<AnswerDecoders>();
    expectTypeOf(entry.reader).returns.toEqualTypeOf<Stage<Uint8Array | string, FrameEvents>>();
    expect(entry.reader()).toHaveProperty('push');
  },
);

test('translators take ids of the registry, or dialects, or what is needed of them', () => {
  expectTypeOf(createTranslator({ from: 'messages', to: 'chat' })).toEqualTypeOf<Translator>();
  expectTypeOf(translatorOf({ from: messages, to: chat })).toEqualTypeOf<Translator>();
  expectTypeOf(translatorOf({ from: messages.messages, to: chat.chat })).toEqualTypeOf<Translator>();
  // @ts-expect-error: no such dialect
  expect(() => createTranslator({ from: 'mesages', to: 'chat' })).toThrow('mesages');
  // @ts-expect-error: the small one knows no registry
  expect(() => translatorOf({ from: 'messages', to: 'chat' })).toThrow();
});

test('events are told apart by their type', () => {
  expectTypeOf<CanonicalEvent['type']>().toEqualTypeOf<
    | ('response-start' | 'status' | 'block-start' | 'block-delta' | 'block-end' | 'usage' | 'finish')
    | ('response-end' | 'error' | 'metadata' | 'ping' | 'raw' | 'warning')
  >();
  const text = (event: CanonicalEvent): string => {
    if (event.type === 'error') return event.error.message;
    return event.type === 'block-delta' && event.delta.type === 'text' ? event.delta.text : '';
  };
  expect(text({ type: 'block-delta', block: 0, delta: { type: 'text', text: 'Hi' } })).toBe('Hi');
  // @ts-expect-error: only the events of an ending have a status of their own
  const wrong: CanonicalEvent = { type: 'ping', status: 'completed' };
  expect(text(wrong)).toBe('');
});
