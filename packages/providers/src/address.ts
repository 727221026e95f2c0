/** Where an API is: base URLs of the configuration, checked when a provider is made. */

/** The base of an API. Throws `TypeError` that names what is wrong; the text itself may hold a secret and is not repeated. */
export function baseOf(owner: string, baseURL: string): URL {
  const base = URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  const problem = base === undefined ? 'it is not a URL' : problemOf(base);
  if (base === undefined || problem !== undefined)
    throw new TypeError(`${owner}: baseURL must be an absolute http or https URL without credentials: ${problem}.`);
  base.pathname = base.pathname.replace(/\/+$/, '');
  base.hash = '';
  return base;
}

/** The base with the version that every path of the API begins with, whether or not the user wrote it. */
export function versioned(base: URL, version: string): URL {
  const url = new URL(base);
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(`/${version}`) ? path : `${path}/${version}`;
  return url;
}

/** The URL of one request; parameters of the base stay, as some clouds name their API version there. */
export function endpoint(base: URL, path: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

function problemOf({ protocol, username, password }: URL): string | undefined {
  if (protocol !== 'http:' && protocol !== 'https:') return `its scheme is ${protocol.slice(0, -1)}`;
  return username !== '' || password !== '' ? 'it holds credentials' : undefined;
}
