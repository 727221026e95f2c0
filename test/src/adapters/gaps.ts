/** What a host cannot do, with the reason; a gap that has closed fails the suite until it is taken out. */

/** One thing that is known not to work. */
export interface Gap {
  readonly reason: string;
  /** What the scenario fails with. */
  readonly says: RegExp;
}

const brotli: Gap = { reason: 'this runtime’s DecompressionStream knows no brotli', says: /expected 415 to be 200/ };
const compression: Gap = { reason: 'a function has no middleware', says: /no middleware/ };
const parser = (form: string): Gap => ({ reason: `no parser here leaves a ${form}`, says: /no parser/ });
const unpacking = knowsBrotli() ? {} : { 'a body in brotli': brotli };

/** The gaps by host and scenario. */
export const gaps: Readonly<Record<string, Readonly<Record<string, Gap>>>> = {
  Hono: { ...unpacking },
  'Next.js app router': {
    ...unpacking,
    'body parsed: object': parser('value'),
    'body parsed: string': parser('text'),
    'body parsed: buffer': parser('buffer'),
  },
  'Next.js pages router': {
    'body parsed: string': parser('text'),
    'body parsed: buffer': parser('buffer'),
  },
  'bare fetch': {
    ...unpacking,
    'compression: SDKs read all': compression,
    'compression: each piece at once': compression,
    'compression: each element at once': compression,
  },
};

function knowsBrotli(): boolean {
  try {
    return Reflect.construct(DecompressionStream, ['brotli']) !== undefined;
  } catch {
    return false;
  }
}
