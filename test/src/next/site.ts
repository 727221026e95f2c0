/** The part of the Next.js app in which the scenarios of all hosts are played, with answers of the host's own. */
import { readFileSync } from 'node:fs';

const bases = {
  app: { default: '/site', mounted: '/place' },
  pages: { default: '/api/site', mounted: '/api/place', parsed: '/api/parsed-site' },
} as const;

/** Where each router has the gateway, alone, below prefixes, or behind Next.js' own body parser. */
export const sites: typeof bases = bases;

/** Headers of the host's, for every answer below the sites. */
export const siteHeaders = `[
  '/(site|place)/:path*', '/api/(site|place|parsed-site)/:path*',
].map((source) => ({ source, headers: [{ key: 'access-control-allow-origin', value: 'https://app.example' }] }))`;

const settings = `
  import { compatible } from '@streamglot/providers';
  export const endings = (globalThis.endings ??= []);
  export const gateways = (globalThis.gateways ??= new Set());
  export function settings() {
    const { up, down, ...config } = JSON.parse(process.env.GATEWAY);
    const observe = (event) => event.type === 'ending' && endings.push(event.ending);
    return { providers: { up: compatible(up), down: compatible(down) }, authorize: 'host', observe, ...config };
  }
  export function known(gateway) {
    gateways.add(gateway);
    return gateway;
  }
  export async function shutdown(path) {
    const drainMs = Number(path.split('/').at(-1));
    await Promise.all([...gateways].map((gateway) => gateway.shutdown({ drainMs })));
    return { status: 200, headers: {}, body: '' };
  }`;

/** The path from a file's folder to the top. */
function up(path: string): string {
  return '../'.repeat(path.split('/').length - 1);
}

function appRoute(path: string): [string, string] {
  return [
    path,
    `
    import { llmGateway } from '@streamglot/next';
    import { known, settings } from '${up(path)}site.mjs';
    export { answer as HEAD, answer as OPTIONS } from '${up(path)}own-app.mjs';
    export const { GET, POST, DELETE } = known(llmGateway(settings));`,
  ];
}

function appOwn(path: string): [string, string] {
  return [path, `export { answer as GET, answer as POST } from '${up(path)}own-app.mjs';`];
}

const bodyParser = 'export const config = { api: { bodyParser: false } };';

function pagesRoute(path: string, config = bodyParser): [string, string] {
  return [
    path,
    `
    import { llmGateway } from '@streamglot/next/pages';
    import { answer } from '${up(path)}own-pages.mjs';
    import { known, settings } from '${up(path)}site.mjs';
    const gateway = known(llmGateway(settings));
    export default (request, response) =>
      /HEAD|OPTIONS/.test(request.method) ? answer(request, response) : gateway(request, response);
    ${config}`,
  ];
}

function pagesOwn(path: string): [string, string] {
  return [path, `export { answer as default } from '${up(path)}own-pages.mjs';`];
}

/** The files of these parts of the app. */
export const siteFiles: Readonly<Record<string, string>> = {
  'site.mjs': settings,
  'own.mjs': readFileSync(new URL('../adapters/own.mjs', import.meta.url), 'utf8'),
  'own-app.mjs': `
    import { own, parsedFrom } from './own.mjs';
    import { endings, shutdown } from './site.mjs';
    export async function answer(request) {
      const path = new URL(request.url).pathname.replace(/^.*(?=\\/own\\/)/, '');
      const made = path.startsWith('/own/shutdown/')
        ? await shutdown(path)
        : own(request.method, path, parsedFrom(await request.text()), endings);
      return new Response(made.body || null, made);
    }`,
  'own-pages.mjs': `
    import { own } from './own.mjs';
    import { endings, shutdown } from './site.mjs';
    export async function answer(request, response) {
      const path = request.url.replace(/^.*(?=\\/own\\/)/, '');
      const made = path.startsWith('/own/shutdown/')
        ? await shutdown(path)
        : own(request.method, path, request.body === '' ? undefined : request.body, endings);
      response.writeHead(made.status, made.headers).end(made.body);
    }`,
  ...Object.fromEntries([
    appRoute('app/site/[...llm]/route.js'),
    appOwn('app/site/own/[...own]/route.js'),
    appRoute('app/place/ai/[...llm]/route.js'),
    appRoute('app/place/llm/v1/[...llm]/route.js'),
    appOwn('app/place/own/[...own]/route.js'),
    pagesRoute('pages/api/site/[...llm].js'),
    pagesOwn('pages/api/site/own/[...own].js'),
    pagesRoute('pages/api/place/ai/[...llm].js'),
    pagesRoute('pages/api/place/llm/v1/[...llm].js'),
    pagesOwn('pages/api/place/own/[...own].js'),
    pagesRoute('pages/api/parsed-site/[...llm].js', ''),
    pagesOwn('pages/api/parsed-site/own/[...own].js'),
  ]),
};
