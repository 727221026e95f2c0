/** Arguments that no client can parse: who asks for warnings is told, whatever the upstream and the client speak. */
import { createTranslator, dialects, type KnownDialect } from '@streamglot/core';
import { describe, expect, it } from 'vitest';
import * as chat from '../chat/wire.ts';
import { called, created, DONE, ends, feeds, sse, starts, stops } from '../interactions/wire.ts';
import * as messages from '../messages/wire.ts';
import * as responses from '../responses/wire.ts';

const ids = Object.keys(dialects) as KnownDialect[];

/** A call with these pieces of arguments, as each dialect streams it. */
const streams: Readonly<Partial<Record<KnownDialect, (pieces: readonly string[]) => string>>> = {
  chat: (pieces) =>
    chat.role +
    chat.calls(chat.call(0, 'c1', 'f', '')) +
    pieces.map((piece) => chat.calls({ index: 0, function: { arguments: piece } })).join('') +
    chat.finish('tool_calls') +
    chat.done,
  interactions: (pieces) =>
    sse([
      created,
      starts(0, called('c1')),
      ...pieces.map((piece) => feeds(0, piece)),
      stops(0),
      ends('requires_action'),
    ]) + DONE,
  messages: (pieces) =>
    messages.sse(
      messages.start(),
      messages.begin(0, messages.blank.call('t')),
      ...pieces.map((piece) => messages.input(0, piece)),
      messages.stop(0),
      messages.reason('tool_use'),
      messages.end,
    ),
  responses: (pieces) => responses.text(responses.clean(responses.call(0, pieces))),
};

function warnings(from: KnownDialect, to: KnownDialect, pieces: readonly string[]): readonly string[] {
  const translator = createTranslator({ from, to });
  translator.push(streams[from]?.(pieces) ?? '');
  translator.end();
  return translator.warnings.map(({ code }) => code);
}

describe.each(ids.filter((id) => id in streams))('arguments from %s', (from) => {
  it.each(ids)('that are cut or no object are warned of toward %s', (to) => {
    expect(warnings(from, to, ['{"a":', '1'])).toContain('tool_arguments_invalid');
    expect(warnings(from, to, ['a', '=1'])).toContain('tool_arguments_invalid');
  });

  it.each(ids)('that are whole are not warned of toward %s', (to) => {
    expect(warnings(from, to, [' {"a":', '1} ', '\n'])).not.toContain('tool_arguments_invalid');
    expect(warnings(from, to, ['{}'])).not.toContain('tool_arguments_invalid');
    expect(warnings(from, to, [''])).not.toContain('tool_arguments_invalid');
  });
});
