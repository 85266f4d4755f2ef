import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const gateway = await startGateway();
const withoutIntrospection = await startGateway({ graphqlIntrospection: false });

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
/** The public paths, each with the media type that a browser gets. */
const PUBLIC = Object.entries({
  'text/html; charset=utf-8': '/ /v1 /docs /guides /guides/api /graphql',
  'text/javascript; charset=utf-8':
    '/assets/reference.js /assets/try-it.js /assets/landing.js /assets/api-key.js /assets/graphiql/graphiql.js',
  'text/css; charset=utf-8':
    '/assets/reference.css /assets/panel.css /assets/api-key.css /assets/base.css',
  'text/plain; charset=utf-8': '/schema.graphql',
  'application/json; charset=utf-8': '/assets/introspection.json /v1/openapi.json',
  'application/yaml': '/v1/openapi.yaml',
}).flatMap(([type, paths]) => paths.split(' ').map((path) => [path, type] as const));

/** Sends a request without a key. */
function open(path: string, { method = 'GET', headers = {} } = {}) {
  return nodeRequest({ ...gateway, key: '' }, path, {
    method,
    headers: { ...BROWSER, Authorization: '', ...headers },
  });
}

/** Sends a request as a client that decompresses the response. */
const compressed = (path: string, encodings: string, headers = {}) =>
  fetch(gateway.url + path, { headers: { ...BROWSER, 'Accept-Encoding': encodings, ...headers } });

test.each(PUBLIC)(
  '%s is public, is revalidated by caches, and is served with gzip under a different entity tag',
  async (path, type) => {
    const { status, headers, text } = await open(path);
    expect([status, headers.get('Content-Type')]).toEqual([200, type]);
    expect(headers.get('Cache-Control')).toBe('public, no-cache');
    expect(headers.get('Vary')).toContain('Accept-Encoding');
    expect(headers.get('Content-Encoding')).toBeNull();
    const tag = headers.get('ETag') ?? '';
    expect(tag).toMatch(/^"[^"]+"$/);
    expect(text.length).toBeGreaterThan(100);
    // fetch adds Cache-Control to such requests.
    const again = await open(path, {
      headers: { 'If-None-Match': tag, 'Cache-Control': 'no-cache' },
    });
    expect([again.status, again.text, again.headers.get('ETag')]).toEqual([304, '', tag]);
    const gzipped = await compressed(path, 'gzip');
    expect(gzipped.headers.get('Content-Encoding')).toBe('gzip');
    expect(gzipped.headers.get('ETag')).not.toBe(tag);
    expect(await gzipped.text()).toBe(text);
    const head = await open(path, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['Content-Type', 'Content-Length', 'ETag']) {
      expect(head.headers.get(name)).toBe(headers.get(name));
    }
  },
);

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br; q=0.5 , GZIP;Q=0.4', 'br'],
  ['br;q=0, gzip;q=0.001', 'gzip'],
  ['br;q=0, gzip;q=0', null],
  ['*', 'br'],
  ['*;q=0.5, br;q=0.1', 'gzip'],
  ['identity, *;q=0.5', null],
  ['identity;q=0.5, gzip', 'gzip'],
  ['*;q=0', null],
  ['zstd', null],
  ['', null],
])(
  'Accept-Encoding: %s returns a document with the encoding %s, and so do HEAD and 304',
  async (...row) => {
    const [accepted, encoding] = row;
    const path = '/v1/openapi.json';
    const response = await compressed(path, accepted);
    expect([response.status, response.headers.get('Content-Encoding')]).toEqual([200, encoding]);
    expect(await response.text()).toBe((await open(path)).text);
    const headers = { 'Accept-Encoding': accepted };
    const head = await open(path, { method: 'HEAD', headers });
    for (const name of ['Content-Encoding', 'Content-Length', 'ETag']) {
      expect(head.headers.get(name)).toBe(response.headers.get(name));
    }
    const tag = response.headers.get('ETag') ?? '';
    expect((await open(path, { headers: { ...headers, 'If-None-Match': tag } })).status).toBe(304);
    const other = encoding === 'br' ? 'gzip' : 'br';
    expect((await compressed(path, other, { 'If-None-Match': tag })).status).toBe(200);
  },
);

test.each(PUBLIC.filter(([path]) => path !== '/graphql'))(
  '%s accepts only GET, HEAD and OPTIONS',
  async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, headers } = await open(path, { method });
      expect([method, status, headers.get('Allow')]).toEqual([method, 405, 'GET, HEAD, OPTIONS']);
    }
  },
);

test.each(['/', '/v1'])(
  'a client that does not accept HTML gets the addresses at %s as JSON',
  async (path) => {
    for (const Accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      const { status, headers, text } = await open(path, { headers: { Accept } });
      expect([status, headers.get('Content-Type')]).toEqual([
        200,
        'application/json; charset=utf-8',
      ]);
      expect(JSON.parse(text)).toEqual({
        rest: 'v1',
        graphql: 'graphql',
        documentation: 'docs',
        guides: 'guides',
        openapi: 'v1/openapi.json',
        openapiYaml: 'v1/openapi.yaml',
        schema: 'schema.graphql',
        liveness: 'livez',
        readiness: 'readyz',
      });
      expect(headers.get('Vary')).toContain('Accept');
    }
  },
);

test.each(['/', '/v1'])(
  '%s links to all addresses in the README, and each of them responds',
  async (path) => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const [, list = ''] = /\nIt serves:\n\n((?:- .*\n)+)/.exec(readme) ?? [];
    const told = list.split('\n').flatMap((line) => {
      const [addresses = ''] = line.split(': ');
      return Array.from(addresses.matchAll(/`([^`]+)`/g), ([, address]) => address);
    });
    const page = await open(path);
    const linked = Array.from(
      page.text.matchAll(/<dt><a href="([^"]+)"/g),
      ([, address = '']) => address,
    );
    const paths = linked.map((reference) => new URL(reference, gateway.url + path).pathname);
    expect(['/', ...paths]).toEqual(told);
    const { text } = await open(path, { headers: { Accept: 'application/json' } });
    const listed: unknown = JSON.parse(text);
    expect(isJsonObject(listed) ? Object.values(listed) : []).toEqual(linked);
    for (const address of paths) {
      expect([address, (await open(address)).status]).toEqual([address, 200]);
    }
  },
);

test.each([
  ['/v1/', '../v1'],
  ['/v1/?a=1', '../v1?a=1'],
  ['/docs/', '../docs'],
  ['/docs//?a=/b/', '../../docs?a=/b/'],
  ['//', '../'],
  ['http://shop.example/v1/?a=1', '../v1?a=1'],
  ['/graphql/?query=%7Bpets%7Bid%7D%7D', '../graphql?query=%7Bpets%7Bid%7D%7D'],
])('a browser at %s is redirected to %s, without the trailing slash', async (path, to) => {
  const { status, headers } = await open(path);
  expect([status, headers.get('Location')]).toEqual([308, to]);
});

test.each(['/?a=b/', '/v1?a=/b/', '/docs?from=http://shop.example/', 'http://shop.example/'])(
  '%s is not redirected, because the slash at its end is not part of the path',
  async (target) => {
    expect((await open(target)).status).toBe(200);
  },
);

test('/schema.graphql is the printed schema', async () => {
  const printed = await readFile(new URL('../../schema.graphql', import.meta.url), 'utf8');
  expect((await open('/schema.graphql')).text).toBe(printed);
});

const nothing = errorBody(404, 'NOT_FOUND', 'There is nothing at this address');

test('without introspection, no address serves the schema', async () => {
  for (const address of ['/schema.graphql', '/assets/introspection.json']) {
    const { status, text } = await withoutIntrospection.request(address);
    expect([status, text]).toEqual([404, nothing]);
  }
  const { json } = await withoutIntrospection.request('/');
  expect(json).not.toHaveProperty('schema');
});

test.each([
  ['/nowhere', './'],
  ['/docs/nothing', '../'],
  ['/not/here/', '../../'],
  ['//not//here', '../../../'],
  ['/favicon.ico?a=/b/', './'],
  ['/%zz', './'],
])(
  'a browser at %s gets a page with links, and other clients get a JSON error',
  async (path, home) => {
    const page = await open(path);
    expect([page.status, page.headers.get('Content-Type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
    expect(page.headers.get('Cache-Control')).toBe('no-cache');
    expect(page.text).toContain(`<base href="${home}">`);
    const error = await open(path, { headers: { Accept: '*/*' } });
    expect([error.status, error.text]).toEqual([404, nothing]);
  },
);

test.each([
  ['/nowhere?key=secret', '/nowhere'],
  ['/a&<script>alert(1)</script>', '/a&amp;&lt;script&gt;alert(1)&lt;/script&gt;'],
  [`/${'x'.repeat(300)}`, `/${'x'.repeat(199)}…`],
])('a 404 page shows the status and the path: %s', async (target, shown) => {
  const { text } = await open(target);
  expect(text).toContain('<h1>404: Not found</h1>');
  expect(text).toContain(`<code>${shown}</code>`);
});

test('the 404 page for a path with many segments is not much longer than for a short one', async () => {
  const { text } = await open('/'.repeat(7000));
  expect(text.length).toBeLessThan((await open('/nowhere')).text.length + 3 * 7000 + 200);
});

test('REST returns JSON even to a browser', async () => {
  const { status, text } = await open('/v1/pets');
  expect([status, JSON.parse(text)]).toMatchObject([401, { code: 'UNAUTHENTICATED' }]);
});
