import { expect, onTestFinished, test } from 'vitest';
import { serveEndpoints } from '../../../test/support/serve-endpoints.ts';
import { createEndpoints, type EndpointOptions } from '../src/endpoints.ts';
import { library, librarySchema } from './library.ts';

/** REST over books whose operations give this. */
async function serve(data: Record<string, unknown>, seen: unknown[] = []): Promise<string> {
  const options: EndpointOptions<string> = {
    documentation: '/docs',
    admit: () => Promise.resolve({ caller: 'me', waited: 0, turn: () => Promise.resolve() }),
    execute: ({ variableValues }, request) => {
      seen.push(variableValues, request);
      return Promise.resolve({ data });
    },
  };
  const schema = librarySchema();
  const add = schema.getMutationType()?.getFields()['createEntry'];
  Object.assign(add?.extensions ?? {}, { idempotency: { reused: 'The key was used before' } });
  const { url, close } = await serveEndpoints(createEndpoints(library(undefined, schema), options));
  onTestFinished(close);
  return `${url}/v2`;
}

const BOOK = { id: '7', title: 'A', genre: 'poem', pages: 1, authors: [] };
const TEXT = '{"id":7,"title":"A","genre":"poem","pages":1,"authors":[]}';

test('a page is a list, with links that keep its parameters', async () => {
  const pageInfo = { hasNextPage: true, endCursor: 7n };
  const url = await serve({ entriesConnection: { nodes: [BOOK], pageInfo } });
  const response = await fetch(`${url}/entries?limit=1&isLent=true&other=1`);
  expect([response.status, await response.text()]).toEqual([200, `[${TEXT}]`]);
  expect(response.headers.get('Link')).toBe(
    '<?limit=1&isLent=true>; rel="first", <?limit=1&isLent=true&after=7>; rel="next"',
  );
});

test('what is added has an address, and its operation the body and the key', async () => {
  const seen: unknown[] = [];
  const url = await serve({ createEntry: BOOK }, seen);
  const response = await fetch(`${url}/entries`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
    body: '{"title":"A","authorIds":[9007199254740993]}',
  });
  expect([response.status, response.headers.get('Location'), await response.text()]).toEqual([
    201,
    'entries/7',
    TEXT,
  ]);
  expect(seen).toMatchObject([
    { input: { title: 'A', authorIds: [9007199254740993n] } },
    { caller: 'me', idempotencyKey: 'k', waited: 0 },
  ]);
});

test('a matching If-None-Match is 304', async () => {
  const url = await serve({ entry: BOOK });
  const first = await fetch(`${url}/entries/7`);
  const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
  expect((await fetch(`${url}/entries/7`, { headers })).status).toBe(304);
});

test.each([
  ['DELETE', '/entries', 405],
  ['GET', '/authors', 404],
])('%s %s is %i', async (method, path, status) => {
  const url = await serve({});
  expect((await fetch(url + path, { method })).status).toBe(status);
});
