/** The least that a client asks, and what an upstream of the other dialect gets of more. */
import { translate } from '../wire.ts';

export const hi = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
export const said = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] };
export const lookup = {
  type: 'function',
  function: { name: 'lookup', parameters: { type: 'object', properties: {} } },
};
export const lookupSent = { name: 'lookup', input_schema: { type: 'object', properties: {} } };
export const call = (id: string, args = '{"q":1}') => ({
  id,
  type: 'function',
  function: { name: 'lookup', arguments: args },
});
export const png = 'data:image/png;base64,AAAA';

/** The body that a Messages upstream gets, less what every one has. */
export function sent(body: object, options = {}): Record<string, unknown> {
  const { model: _model, ...rest } = translate('chat', 'messages', { ...hi, ...body }, options).body;
  return rest;
}

export function losses(body: object, options = {}): string[] {
  return translate('chat', 'messages', { ...hi, ...body }, options).losses.map(
    ({ field, severity }) => `${severity} ${field}`,
  );
}
