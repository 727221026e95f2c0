/** The least that a client asks, and what an upstream of the other dialect gets of more. */
import { translate } from '../wire.ts';

export const hi = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
export const said = { messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 100 };
export const schema = { type: 'object', properties: { q: { type: 'number' } } };
export const lookup = { name: 'lookup', description: 'Looks up', input_schema: schema };
export const lookupSent = {
  type: 'function',
  function: { name: 'lookup', description: 'Looks up', parameters: schema },
};
export const text = (text: string) => ({ type: 'text', text });
export const png = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
export const pngSent = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };

export function sent(body: object, options = {}): Record<string, unknown> {
  const { model: _model, ...rest } = translate('messages', 'chat', { ...hi, ...body }, options).body;
  return rest;
}

export function losses(body: object, options = {}): string[] {
  return translate('messages', 'chat', { ...hi, ...body }, options).losses.map(
    ({ field, severity }) => `${severity} ${field}`,
  );
}
