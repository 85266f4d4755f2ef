import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest, type NodeRequest } from '../support/node-request.ts';
import { wrongBody } from '../support/wrong-body.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const NO_KEY = 'An API key is required: Authorization: Bearer <API_KEY>';
const BAD_KEY = 'The API key is not valid';
const EXPIRED = 'The API key expired on 1970-01-01 at 00:00 UTC';
const NO_JSON = 'The body is not valid JSON at line 1, column 9';

const gateway = await startGateway();
const { database } = gateway;
const { key: expired } = await createKey(database, { name: 'expired', expiresAt: new Date(0) });
// One that is well-formed, checksum included, and nowhere known.
const { key: unknown } = await createKey((await startGateway()).database, {
  name: 'of another store',
});

const post = (body: string | Uint8Array, headers: NodeRequest['headers'] = {}): NodeRequest => ({
  method: 'POST',
  headers: { ...JSON_TYPE, ...headers },
  body,
});
const as = (authorization: string) => post('{}', { Authorization: authorization });

test.each<[string, NodeRequest, number, string, string]>([
  ['no key', as(''), 401, 'UNAUTHENTICATED', NO_KEY],
  ['another scheme', as('Basic QWRhOg=='), 401, 'UNAUTHENTICATED', NO_KEY],
  ['a malformed key', as('Bearer abc'), 401, 'UNAUTHENTICATED', BAD_KEY],
  ['an unknown key', as(`Bearer ${unknown}`), 401, 'UNAUTHENTICATED', BAD_KEY],
  ['an expired key', as(`Bearer ${expired}`), 401, 'UNAUTHENTICATED', EXPIRED],
  ['no key and no JSON', { ...as(''), body: '{' }, 401, 'UNAUTHENTICATED', NO_KEY],
  [
    'no key and no form that it would take',
    post('{}', { Authorization: '', Accept: 'text/csv' }),
    401,
    'UNAUTHENTICATED',
    NO_KEY,
  ],
  ['malformed JSON', post('{"name":'), 400, 'BAD_USER_INPUT', NO_JSON],
  ['an array', post('[{}]'), 400, 'BAD_USER_INPUT', 'The body must be a JSON object'],
  ['null', post('null'), 400, 'BAD_USER_INPUT', 'The body must be a JSON object'],
  [
    'a body that is not UTF-8',
    post(Uint8Array.of(0x22, 0xff, 0x22)),
    400,
    'BAD_USER_INPUT',
    'The body is not valid UTF-8',
  ],
  [
    'a body nested too deep',
    post(`{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}`),
    400,
    'BAD_USER_INPUT',
    'The body is nested too deeply',
  ],
  [
    'a form',
    post('name=Rex', { 'Content-Type': 'application/x-www-form-urlencoded' }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    wrongBody('Content-Type', 'application/x-www-form-urlencoded'),
  ],
  [
    'text',
    post('{}', { 'Content-Type': 'text/plain' }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    wrongBody('Content-Type', 'text/plain'),
  ],
  [
    'another encoding',
    post('{}', { 'Content-Encoding': 'compress' }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    wrongBody('Content-Encoding', 'compress'),
  ],
  [
    'another character set',
    post('{}', { 'Content-Type': 'application/json; charset=utf-16' }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    wrongBody('Content-Type', 'application/json; charset=utf-16'),
  ],
  [
    'a body that is too large',
    post(' '.repeat(100_001)),
    413,
    'PAYLOAD_TOO_LARGE',
    'The body is larger than 100000 bytes',
  ],
  [
    'another method',
    { method: 'PUT', headers: JSON_TYPE, body: '{}' },
    405,
    'METHOD_NOT_ALLOWED',
    'This address accepts GET, HEAD, POST, OPTIONS',
  ],
])('both surfaces refuse %s alike', async (_what, request, status, code, message) => {
  const rest = await nodeRequest(gateway, '/v1/pets', request);
  const graphql = await nodeRequest(gateway, '/graphql', request);
  expect([rest.status, rest.text]).toEqual([status, errorBody(status, code, message)]);
  expect([graphql.status, graphql.text]).toEqual([status, graphqlErrorBody(status, code, message)]);
  for (const name of ['Content-Type', 'WWW-Authenticate', 'Allow']) {
    expect(graphql.headers.get(name)).toBe(rest.headers.get(name));
  }
  expect(await database.pet.count()).toBe(0);
});

test('each surface refuses with 406 to answer with what it has not, and names what it has', async () => {
  const request = { headers: { Accept: 'text/csv' } };
  const rest = await nodeRequest(gateway, '/v1/pets', request);
  const graphql = await nodeRequest(gateway, '/graphql?query={__typename}', request);
  const json = 'This address serves application/json; charset=utf-8';
  const both = `${json} or application/graphql-response+json; charset=utf-8`;
  expect([rest.status, rest.text]).toEqual([406, errorBody(406, 'NOT_ACCEPTABLE', json)]);
  expect([graphql.status, graphql.text]).toEqual([
    406,
    graphqlErrorBody(406, 'NOT_ACCEPTABLE', both),
  ]);
});
