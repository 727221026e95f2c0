/** The independent grammars bite: clean streams pass, and each way of breaking one is named. */
import { describe, expect, test } from 'vitest';
import { swap, twice, without } from '../support/edits.ts';
import { grammarOf } from '../support/grammar/index.ts';
import { type SceneName, scenes } from '../support/scenes.ts';
import { frank, wireOf, wires } from '../support/wire/index.ts';

function framesOf(dialect: string, name: SceneName): string[] {
  return wireOf(dialect).write(scenes[name], frank);
}

/** A way to break the frames of a scene, and a word of what the grammar says to it. */
type Break = readonly [name: string, scene: SceneName, change: (text: string) => string, says: string];

const breaks: Readonly<Record<string, readonly Break[]>> = {
  chat: [
    ['no [DONE]', 'text', without(/\[DONE\]/), 'neither [DONE]'],
    ['two [DONE]', 'text', twice(/\[DONE\]/), 'after the end'],
    ['no finish', 'text', without(/"finish_reason":"/), 'no finish'],
    ['two finishes', 'text', twice(/"finish_reason":"/), 'after its finish'],
    ['no role', 'text', swap('"role":"assistant",', ''), 'no role'],
    ['a role again', 'text', twice(/"role"/), 'a role again'],
    ['an id that changes', 'text', swap(/(.*)chatcmpl-/s, '$1other-'), 'id changes'],
    ['usage twice', 'text', twice(/"prompt_tokens"/), 'usage twice'],
    ['a finish of another dialect', 'text', swap('"finish_reason":"stop"', '"finish_reason":"end_turn"'), 'end_turn'],
    ['a call without an id', 'tool', swap(/"id":"call_[^"]+",/, ''), 'without id'],
    ['a call index with a gap', 'tool', swap(/"tool_calls":\[\{"index":0/g, '"tool_calls":[{"index":1'), 'was next'],
    ['arguments cut off', 'tool', without(/sius/), 'no whole object'],
    [
      'a finish that promises calls',
      'text',
      swap('"finish_reason":"stop"', '"finish_reason":"tool_calls"'),
      'has none',
    ],
    ['a glued frame', 'text', swap('\n\ndata', '\ndata'), 'framing'],
    ['[DONE] after an error', 'error mid-stream', (text) => `${text}data: [DONE]\n\n`, 'after the end'],
  ],
  messages: [
    ['no message_stop', 'text', without(/event: message_stop/), 'neither message_stop'],
    ['no message_start', 'text', without(/event: message_start/), 'before message_start'],
    ['no message_delta', 'text', without(/event: message_delta/), 'before the stop reason'],
    ['two message_start', 'text', twice(/event: message_start/), 'message_start twice'],
    ['a block not closed', 'text', without(/event: content_block_stop/), 'inside a block'],
    ['an index with a gap', 'text', swap(/"index":0/g, '"index":1'), 'was next'],
    ['overlapping blocks', 'parallel tools', without(/event: content_block_stop\n.*"index":0/), 'inside block 0'],
    [
      'a delta of another kind',
      'text',
      swap(/text_delta","text"/, 'thinking_delta","thinking"'),
      'thinking_delta in a',
    ],
    ['two signatures', 'reasoning', twice(/signature_delta/), 'a second signature'],
    ['input cut off', 'tool', without(/sius/), 'no whole object'],
    ['a stop reason of another dialect', 'text', swap('"end_turn"', '"stop"'), 'stop_reason is stop'],
    ['no output tokens', 'text', swap(/"output_tokens":9/, '"output":9'), 'without output_tokens'],
    ['an event line that lies', 'text', swap('event: ping', 'event: pong'), 'over type'],
    [
      'success after an error',
      'error mid-stream',
      (t) => `${t}event: message_stop\ndata: {"type":"message_stop"}\n\n`,
      'after',
    ],
  ],
  gemini: [
    ['no finish', 'text', without(/"finishReason"/), 'no finishReason'],
    ['two finishes', 'text', twice(/"finishReason"/), 'two finishes'],
    ['a [DONE]', 'text', (text) => `${text}data: [DONE]\n\n`, 'a [DONE]'],
    ['an event line', 'text', swap('data: ', 'event: chunk\ndata: '), 'event line'],
    ['a finish of another dialect', 'text', swap('"finishReason":"STOP"', '"finishReason":"end_turn"'), 'end_turn'],
    ['another role', 'text', swap('"role":"model"', '"role":"assistant"'), 'another role'],
    ['an id that changes', 'text', swap(/(.*)q7Zr/s, '$1other'), 'responseId changes'],
    ['a model that changes', 'text', swap(/(.*)a-model/s, '$1other'), 'modelVersion changes'],
    ['arguments as a text', 'tool', swap(/"args":\{[^}]*\}/, '"args":"{}"'), 'no object'],
    ['a call without a name', 'tool', swap(/"name":"[^"]*",/, ''), 'without a name'],
    ['a call in pieces', 'tool', swap('"functionCall":{', '"functionCall":{"willContinue":true,'), 'not whole'],
    ['an error without a number', 'error mid-stream', swap('"code":503', '"code":"503"'), 'error.code'],
    ['success after an error', 'error mid-stream', (text) => `${text}data: {"candidates":[]}\n\n`, 'after the error'],
  ],
  responses: [
    ['no response.created', 'text', without(/event: response\.created/), 'comes first'],
    ['no terminal event', 'text', without(/event: response\.completed/), 'no terminal event'],
    ['a number twice', 'text', swap('"sequence_number":5', '"sequence_number":4'), 'numbered 4 at 5'],
    ['an item that was never added', 'text', without(/output_item\.added/), 'the unknown item'],
    ['an item that is never done', 'text', without(/output_item\.done/), 'not done'],
    ['a part that was never added', 'text', without(/content_part\.added/), 'a part that is not open'],
    ['a part that is never done', 'text', without(/content_part\.done/), 'with a part open'],
    ['a text that is never done', 'text', without(/output_text\.done/), 'before its text was done'],
    ['a lost piece', 'text', without(/"delta":"Hello"/), 'another text than its deltas'],
    ['an index with a gap', 'text', swap(/"output_index":0/g, '"output_index":1'), 'an item at 1'],
    ['another id in one event', 'text', swap(/"item_id":"msg_[^"]+"/, '"item_id":"msg_9"'), 'names msg_9'],
    ['another id of the response at its end', 'text', swap(/(.*)"resp_[^"]+"/s, '$1"resp_9"'), 'with the id resp_9'],
    [
      'an output that lost an item',
      'parallel tools',
      swap(/(.*)"output":\[\{/s, '$1"output":[],"was":[{'),
      'another output',
    ],
    ['input that is never done', 'tool', without(/function_call_arguments\.done/), 'before its input'],
    ['a summary part that was never added', 'reasoning', without(/summary_part\.added/), 'a part that is not open'],
    ['no usage', 'text', swap(/(.*)"usage":\{/s, '$1"used":{'), 'without usage'],
    [
      'an event line that lies',
      'text',
      swap('event: response.in_progress', 'event: in_progress'),
      'event line in_progress',
    ],
    [
      'success after an error',
      'error mid-stream',
      swap(/response\.failed/g, 'response.completed'),
      'between error and',
    ],
    ['a closing [DONE]', 'text', (text) => `${text}data: [DONE]\n\n`, 'a [DONE]'],
  ],
};

describe.each(Object.keys(wires))('the grammar of %s', (dialect) => {
  const { violations, fails } = grammarOf(dialect);

  test.each(Object.values(scenes).filter(({ refused }) => refused === undefined))(
    'passes a clean stream: $name',
    (scene) => {
      const text = wireOf(dialect).write(scene, frank).join('');
      const ended = scene.ending === 'whole' || scene.ending === 'error';
      if (ended) expect(violations(text)).toEqual([]);
      else expect(violations(text)).not.toEqual([]);
      expect(fails(text)).toBe(scene.ending === 'error');
    },
  );

  test.each(breaks[dialect] ?? [])('names %s', (_, scene, change, says) => {
    const text = framesOf(dialect, scene).join('');
    const broken = change(text);
    expect(broken).not.toBe(text);
    expect(violations(broken).join('\n')).toContain(says);
  });
});
