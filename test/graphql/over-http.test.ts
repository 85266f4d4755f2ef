import { serverAudits } from 'graphql-http';
import { expect, test } from 'vitest';
import { graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const gateway = await startGateway();
const { url, key, request, database } = gateway;

const audits = serverAudits({
  url: `${url}/graphql`,
  fetchFn: (address: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${key}`);
    return fetch(address, { ...init, headers });
  },
});

test('graphql-http has 61 audits', () => {
  expect(new Set(audits.map(({ id }) => id)).size).toBe(61);
});

/**
 * Audits that expect 400 as application/graphql-response+json. They follow a draft of the specification, which has required
 * 422 since September 2026.
 */
const OUTDATED = new Map([
  ['423L', 'a request without query'],
  ['86EE', 'variables that are not of their types'],
]);

test.each(audits.filter(({ id }) => !OUTDATED.has(id)))(
  'audit $id: $name',
  async ({ id, name, fn }) => {
    expect(await fn()).toEqual({ id, name, status: 'ok' });
  },
);

test.each(audits.filter(({ id }) => OUTDATED.has(id)))(
  'audit $id gets 422, as the specification requires: $name',
  async ({ fn }) => {
    expect(await fn()).toMatchObject({ response: { status: 422 } });
  },
);

const CREATE = 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }';

test.each([
  ['by GET', { query: CREATE }, {}, 405],
  ['by HEAD', { query: CREATE }, { method: 'HEAD' }, 405],
  [
    'by GET in a document with a query',
    {
      query: `query A { __typename } ${CREATE.replace('mutation', 'mutation B')}`,
      operationName: 'B',
    },
    {},
    405,
  ],
  [
    'in the query string of a POST',
    { query: CREATE },
    { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' },
    400,
  ],
])('a mutation %s is not executed', async (_what, parameters, init, expected) => {
  const path = `/graphql?${String(new URLSearchParams(parameters))}`;
  const { status, headers, text } = await nodeRequest(gateway, path, init);
  expect([status, await database.pet.count()]).toEqual([expected, 0]);
  const message = 'Can only perform a mutation operation from a POST request.';
  const body = graphqlErrorBody(405, 'METHOD_NOT_ALLOWED', message);
  expect([headers.get('Allow'), status === 405 && text]).toEqual(
    status === 405 ? ['POST', 'method' in init ? '' : body] : [null, false],
  );
});

test('without CORS_ORIGINS, pages from other origins cannot use the API', async () => {
  for (const method of ['GET', 'OPTIONS']) {
    const { headers } = await nodeRequest(gateway, '/graphql?query={__typename}', {
      method,
      headers: { Origin: 'http://x', 'Access-Control-Request-Method': 'POST' },
    });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test.each(['query', 'documentId', 'operationName', 'variables', 'extensions'])(
  'a GET that repeats %s returns 400, because intermediaries may read a different value',
  async (name) => {
    const { status, text } = await request(`/graphql?query={__typename}&${name}=&${name}=`);
    const message = `${name} must not be repeated`;
    expect([status, text]).toEqual([400, graphqlErrorBody(400, 'BAD_USER_INPUT', message)]);
  },
);
