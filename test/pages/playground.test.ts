import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const { url } = await startGateway();
/** A browser comes without a key. */
const BROWSER = {
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  Authorization: '',
};

function open(headers: Record<string, string> = {}) {
  return nodeRequest({ url, key: '' }, '/graphql', { headers: { ...BROWSER, ...headers } });
}

function lengthOf({ headers }: Response): number {
  return Number(headers.get('Content-Length'));
}

const page = await open();
const references = Array.from(page.text.matchAll(/\s(?:src|href)="([^"]*)"/g), ([, to = '']) => to);
const assets = references.filter((reference) => reference.startsWith('assets/'));

test('a browser gets GraphiQL, which needs no key and refers to nothing but its neighbours', async () => {
  expect([page.status, page.headers.get('Content-Type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  expect(assets.length).toBeGreaterThan(5);
  // Relative to the page, so that they hold below a proxy's prefix too; and the icon is inside.
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

test('the page may run our scripts and workers, and talk to nobody but us', () => {
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

test('what GraphiQL loads may be kept for good, the fonts of its style sheet too', async () => {
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
});

test("GraphiQL's script is sent in brotli, in less than a quarter of its length", async () => {
  const script = assets.find((reference) => reference.includes('/graphiql.js')) ?? '';
  const ask = async (encoding: string) =>
    fetch(`${url}/${script}`, { method: 'HEAD', headers: { 'Accept-Encoding': encoding } });
  const [brotli, plain] = [await ask('gzip, deflate, br'), await ask('identity')];
  expect(brotli.headers.get('Content-Encoding')).toBe('br');
  expect(lengthOf(brotli)).toBeLessThan(lengthOf(plain) / 4);
});

test('the page is not sent to whoever has it', async () => {
  const again = await open({ 'If-None-Match': page.headers.get('ETag') ?? '' });
  expect([again.status, again.text]).toEqual([304, '']);
});

test.each(['*/*', 'application/json', 'application/graphql-response+json'])(
  'a client that accepts %s does not get the page',
  async (Accept) => {
    expect((await open({ Accept })).status).toBe(401);
  },
);
