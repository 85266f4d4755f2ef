import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway, type GatewayOptions } from '../support/gateway.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const TRUSTED = 'query Trusted { __typename }';
const HASH = sha256(TRUSTED);
const OTHER = 'query Other { __typename }';

const api: NonNullable<GatewayOptions['api']> = {
  mount: (router, { authenticate }) => {
    router.all('/report', async (incoming, response) => {
      response.end(`key ${(await authenticate(incoming, response)).name}`);
    });
  },
};

/** Starts a gateway that stores the trusted document, with a key that may only run trusted documents. */
async function startWith(trustedDocumentsOnly: boolean) {
  const gateway = await startGateway({ trustedDocumentsOnly, api });
  await gateway.tables.trustedDocument.create({ data: { hash: HASH, document: TRUSTED } });
  const { key } = await createKey(gateway.database, { documentsOnly: true });
  const headers = {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    Accept: 'application/graphql-response+json, application/json',
  };
  const send = (body: object) =>
    gateway.request('/graphql', { method: 'POST', headers, body: JSON.stringify(body) });
  return { ...gateway, headers, send };
}

const GATEWAYS = [
  ['other keys may send any document', await startWith(false)],
  ['all keys need trusted documents', await startWith(true)],
] as const;

const persistedQuery = (sha256Hash: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash } },
});

test.each(GATEWAYS)(
  'where %s, a key with --documents can run trusted documents',
  async (_where, { request, headers, send }) => {
    for (const sent of [
      { documentId: HASH },
      { documentId: `sha256:${HASH}` },
      persistedQuery(HASH),
      { query: TRUSTED },
    ]) {
      const { text } = await send(sent);
      expect([sent, text]).toEqual([sent, '{"data":{"__typename":"Query"}}']);
    }
    const got = await request(`/graphql?documentId=${HASH}`, { headers });
    expect(got.text).toBe('{"data":{"__typename":"Query"}}');
  },
);

test.each(GATEWAYS)(
  'where %s, a key with --documents cannot run any other document',
  async (_where, { request, headers, send }) => {
    const unknown = sha256(OTHER);
    for (const sent of [
      { query: OTHER },
      { query: OTHER, operationName: 'Other' },
      { documentId: unknown },
      persistedQuery(unknown),
      { query: OTHER, ...persistedQuery(HASH) },
      { query: '{ __schema { queryType { name } } }' },
    ]) {
      const { status, json } = await send(sent);
      expect([sent, status, json]).toMatchObject([
        sent,
        403,
        { errors: [{ extensions: { code: 'DOCUMENT_NOT_TRUSTED' } }] },
      ]);
    }
    const got = await request(`/graphql?query=${encodeURIComponent(OTHER)}`, { headers });
    expect(got.status).toBe(403);
  },
);

test.each([
  ['GET', '/v1/pets'],
  ['HEAD', '/v1/pets'],
  ['POST', '/v1/pets'],
  ['GET', '/v1/pets/1'],
  ['DELETE', '/v1/pets/1'],
  ['PATCH', '/v1/pets/1'],
  ['GET', '/report'],
  ['POST', '/report'],
])('%s %s is rejected for a key with --documents, whatever its body', async (method, path) => {
  const message = 'This API key may only send trusted documents to /graphql';
  const [[, { request, headers }]] = GATEWAYS;
  const body = method === 'POST' || method === 'PATCH' ? '{ not even JSON' : undefined;
  const { status, text } = await request(path, {
    method,
    headers: { ...headers, Accept: 'application/json' },
    ...(body !== undefined && { body }),
  });
  const refusal = method === 'HEAD' ? '' : errorBody(403, 'FORBIDDEN', message);
  expect([status, text]).toEqual([403, refusal]);
});
