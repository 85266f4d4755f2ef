import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { nodeRequest, type NodeRequest } from '../support/node-request.ts';

const post = (body: object | string, headers: NodeRequest['headers'] = {}): NodeRequest => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const CREATE = 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }';
const GET = `/graphql?query=${encodeURIComponent(CREATE)}`;

const store = await startGateway();
const trusting = await startGateway({ trustedDocumentsOnly: true });
const limited = await startGateway({ rateLimit: { quota: 1, windowSeconds: 3600 } });
await limited.request('/graphql?query={__typename}');
const broken = await startGateway();
await broken.database.$executeRaw`DROP TABLE pets`;
const away = await startGateway();
await away.database.$executeRaw`DROP TABLE _gateway_api_keys CASCADE`;

/** What a row of the table says of a request, by how the row begins. */
const REQUESTS: readonly (readonly [
  row: string,
  init: NodeRequest,
  gateway?: Gateway,
  path?: string,
])[] = [
  ['ran without errors', post({ query: '{ pets { id } }' })],
  ['ran, and at least one field failed', post({ query: '{ pet(id: 0) { id } }' })],
  ['ran, and at least one field failed', post({ query: '{ pets(limit: 0) { id } }' })],
  ['ran, but a failure', post({ query: '{ pets { id } }' }), broken],
  ["has a body that isn't JSON", post('{"query":')],
  ['has a document with a syntax error', post({ query: '{' })],
  ['is JSON but not a valid request', post({ operationName: 'A' })],
  ['is JSON but not a valid request', post({ query: '{ __typename }', variables: [7] })],
  ['is JSON but not a valid request', post([{ query: '{ __typename }' }])],
  ["has a document that doesn't match", post({ query: '{ nope }' })],
  ["has a document that doesn't match", post({ query: `{ ${'a: __typename '.repeat(31)} }` })],
  ["doesn't say which", post({ query: 'query A { __typename } query B { __typename }' })],
  [
    "has variables that don't match",
    post({ query: 'query($n: Int) { pets(limit: $n) { id } }', variables: { n: 'x' } }),
  ],
  ['has no API key', post({ query: '{ __typename }' }, { Authorization: '' })],
  ["has a document that isn't", post({ query: '{ __typename }' }), trusting],
  ["names a document that isn't stored", post({ documentId: 'e'.repeat(64) })],
  ['is a mutation by GET', {}, store, GET],
  ['is a mutation by GET', { method: 'PUT' }],
  ['accepts neither media type', post({ query: '{ __typename }' }, { Accept: 'text/plain' })],
  ['has a body of another media type', post('{}', { 'Content-Type': 'text/plain' })],
  ['is one too many', post({ query: '{ __typename }' }), limited],
  ['could not be executed', post({ query: '{ __typename }' }), away],
];

const [, section = ''] = (
  await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8')
).split('\n### Statuses\n');
const [, , ...rows] = Array.from(section.matchAll(/^\|(.*)\|$/gm), ([, cells = '']) =>
  cells.split('|').map((cell) => cell.trim()),
);

/** By either media type: the statuses of codes in docs/errors.md. */
const OF_CODES = [
  ["has a body that isn't JSON", '400', '400'],
  ['has no API key', '401', '401'],
  ["has a document that isn't", '403', '403'],
  ['is a mutation by GET', '405', '405'],
  ['accepts neither media type', '406', '406'],
  ['has a body of another media type', '415', '415'],
  ['is one too many', '429', '429'],
  ['could not be executed', '500 or 503', '500 or 503'],
];

test.each([...rows, ...OF_CODES])(
  'docs/api.md: a request that %s is %s, or %s',
  async (row = '', ...statuses) => {
    const requests = REQUESTS.filter(([start]) => row.startsWith(start));
    for (const [index, type] of [
      'application/graphql-response+json',
      'application/json',
    ].entries()) {
      for (const [, init, gateway = store, path = '/graphql'] of requests) {
        const headers = { Accept: type, ...init.headers };
        const { status } = await nodeRequest(gateway, path, { ...init, headers });
        expect(statuses[index]?.split(' or ')).toContain(String(status));
      }
    }
    expect(requests).not.toEqual([]);
  },
);
