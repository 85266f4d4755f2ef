import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const { url } = await startGateway();
/** Browsers open the page without a key. */
const BROWSER = {
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  Authorization: '',
};

function open(headers = {}) {
  return nodeRequest({ url, key: '' }, '/graphql', { headers: { ...BROWSER, ...headers } });
}

function lengthOf({ headers }: Response): number {
  return Number(headers.get('Content-Length'));
}

const page = await open();
const references = Array.from(page.text.matchAll(/\s(?:src|href)="([^"]*)"/g), ([, to = '']) => to);
const assets = references.filter((reference) => reference.startsWith('assets/'));

test('a browser gets GraphiQL, and everything that its page refers to, without a key', async () => {
  expect([page.status, page.headers.get('Content-Type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  expect(assets.length).toBeGreaterThan(5);
  // The references are relative to the page, so that they work under a proxy's path prefix, too. The icon is inlined.
  const others = references.filter((reference) => !assets.includes(reference));
  expect(new Set(others.map((reference) => reference.split(',')[0]))).toEqual(
    new Set(['data:image/svg+xml', './', 'graphql', 'docs', 'guides']),
  );
  for (const reference of assets) {
    const { status, text } = await nodeRequest({ url, key: '' }, `/${reference}`, {
      headers: { Authorization: '' },
    });
    expect([reference, status]).toEqual([reference, 200]);
    expect(text.length).toBeGreaterThan(100);
  }
});

test("the page may only run the service's own scripts and workers, and only send requests to the service", () => {
  const policy = (page.headers.get('Content-Security-Policy') ?? '').split(';');
  expect(policy).toEqual([
    "default-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "worker-src 'self'",
  ]);
  expect(page.text).not.toMatch(/<script>|\son\w+=/);
});

test("GraphiQL's files, including the fonts in its style sheet, are served as immutable", async () => {
  const sheet = assets.find((reference) => reference.includes('graphiql.css')) ?? '';
  const { text } = await nodeRequest({ url, key: '' }, `/${sheet}`);
  const fonts = Array.from(text.matchAll(/url\(([\w-]+\.\w+\?[\w-]+)\)/g), ([, to = '']) => to);
  expect(fonts.length).toBeGreaterThan(3);
  expect(text).not.toContain('data:font');
  const kept = [
    ...assets.filter((reference) => reference.includes('?')),
    `assets/graphiql/${fonts[0]}`,
  ];
  for (const reference of kept) {
    const { headers } = await nodeRequest({ url, key: '' }, `/${reference}`);
    const cacheControl = headers.get('Cache-Control');
    expect([reference, cacheControl]).toEqual([reference, 'public, max-age=31536000, immutable']);
  }
  // Different files have different versions.
  expect(new Set(kept.map((reference) => reference.split('?')[1])).size).toBeGreaterThan(1);
  // A version from a different release, as during a rolling upgrade.
  const other = sheet.replace(/\?.*/, '?AAAAAAAAAAAAAAAA');
  const { headers } = await nodeRequest({ url, key: '' }, `/${other}`);
  expect(headers.get('Cache-Control')).toBe('public, no-cache');
});

test("brotli reduces GraphiQL's script to less than a quarter", async () => {
  const script = assets.find((reference) => reference.includes('/graphiql.js')) ?? '';
  const ask = async (encoding: string) =>
    fetch(`${url}/${script}`, { method: 'HEAD', headers: { 'Accept-Encoding': encoding } });
  const [brotli, plain] = [await ask('gzip, deflate, br'), await ask('identity')];
  expect(brotli.headers.get('Content-Encoding')).toBe('br');
  expect(lengthOf(brotli)).toBeLessThan(lengthOf(plain) / 4);
});

test.each(['*/*', 'application/json', 'application/graphql-response+json'])(
  'a client that accepts %s does not get the page',
  async (Accept) => {
    expect((await open({ Accept })).status).toBe(401);
  },
);

/** Returns the URLs that match the pattern in the response for a URL, each resolved against that URL. */
async function urlsIn(address: string, pattern: RegExp): Promise<string[]> {
  const response = await fetch(address, { headers: { Accept: 'text/html,*/*;q=0.8' } });
  expect([address, response.status]).toEqual([address, 200]);
  const found = (await response.text()).matchAll(pattern);
  return Array.from(found, ([, reference = '']) => new URL(reference, address).href);
}

/** Adds a module and everything that it imports. */
async function addModule(modules: Set<string>, address: string): Promise<void> {
  if (!modules.has(address)) {
    modules.add(address);
    for (const imported of await urlsIn(address, /^import .* from '([^']+)';$/gm)) {
      await addModule(modules, imported);
    }
  }
}

test.each(['/', '/docs', '/graphql'])(
  '%s preloads the modules that it runs and everything that they import, and no others',
  async (path) => {
    const used = new Set<string>();
    for (const script of await urlsIn(url + path, /<script type="module" src="([^"]+)"/g)) {
      await addModule(used, script);
    }
    expect(used.size).toBeGreaterThan(1);
    const preloaded = await urlsIn(url + path, /<link rel="modulepreload" href="([^"]+)"/g);
    expect(new Set(preloaded)).toEqual(used);
  },
);
