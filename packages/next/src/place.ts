/** Where in an app's paths a catch-all route begins. */

/** What Next.js makes of a route's dynamic segments; those of a catch-all are a list. */
export type Params = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Where a request is in the gateway, as its adapters are told. */
interface Place {
  readonly mount: string;
  readonly path: string;
}

/**
 * The place of a request: a catch-all has the path, decoded, for the URL is that of before any rewrite; other routes have
 * it in the names of their folders, and so at the end of the URL.
 */
export function placeOf(pathname: string, params: Params = {}): Place {
  const caught = Object.values(params).find((value) => typeof value === 'object');
  if (caught === undefined) return { mount: pathname, path: '/' };
  const folders = pathname
    .split('/')
    .filter((segment) => segment !== '')
    .slice(0, -caught.length || undefined);
  return { mount: `/${folders.join('/')}`, path: `/${caught.join('/').replaceAll('%', '%25')}` };
}
