import { expect, onTestFinished, test, vi } from 'vitest';
import { cachesReadClock } from '../support/keys.ts';
import { sha256 } from '../support/documents.ts';
import { graphqlErrorBody } from '../support/error-body.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';

const also = await startGateway();
const only = await startGateway({ trustedDocumentsOnly: true });
const SERVICES = [
  ['optional', also],
  ['only', only],
] as const;

/** Stores a document in both stores, and returns its hash. */
async function store(document: string): Promise<string> {
  const hash = sha256(document);
  for (const { tables } of [also, only]) {
    await tables.trustedDocument.create({ data: { hash, document } });
  }
  return hash;
}

const NAME =
  'query Name($other: Boolean = false) { __typename other: __typename @include(if: $other) }';
const NAME_HASH = await store(NAME);
const NAMED = '{"data":{"__typename":"Query"}}';
const CREATE = 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { name } }';
const CREATE_HASH = await store(CREATE);
const NOT_STORED = '{ __typename }';

const persistedQuery = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });

const post = (gateway: Gateway, body: object, accept = 'application/graphql-response+json') =>
  gateway.post('/graphql', body, { Accept: accept });
const get = ({ request }: Gateway, parameters: Record<string, unknown>) => {
  const search = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return request(`/graphql?${String(new URLSearchParams(search))}`, {
    headers: { Accept: 'application/graphql-response+json' },
  });
};

const notTrusted = (hash: string) => ({
  status: 403,
  text: graphqlErrorBody(
    403,
    'DOCUMENT_NOT_TRUSTED',
    `Only trusted documents may be executed, and no document is stored with the SHA-256 ${hash}`,
  ),
});
const badInput = (message: string) => ({
  status: 422,
  text: graphqlErrorBody(422, 'BAD_USER_INPUT', message),
});

for (const [mode, service] of SERVICES) {
  test.each([
    ['documentId with its prefix', { documentId: `sha256:${NAME_HASH}` }],
    ['documentId without prefix', { documentId: NAME_HASH }],
    ['persistedQuery', { extensions: persistedQuery(NAME_HASH) }],
    ['persistedQuery and an empty query', { query: '', extensions: persistedQuery(NAME_HASH) }],
    ['documentId, its name and null as query', { documentId: NAME_HASH, operationName: 'Name' }],
    ['its query', { query: NAME }],
    ['its query and documentId', { query: NAME, documentId: NAME_HASH }],
    ['its query and persistedQuery', { query: NAME, extensions: persistedQuery(NAME_HASH) }],
  ])(
    `trusted documents ${mode}: a stored document is executed by %s`,
    async (_what, parameters) => {
      for (const send of [post, get]) {
        expect(await send(service, parameters)).toMatchObject({ status: 200, text: NAMED });
        expect(await send(service, { ...parameters, variables: { other: true } })).toMatchObject({
          json: { data: { other: 'Query' } },
        });
      }
    },
  );

  test(`trusted documents ${mode}: a stored mutation is executed by POST, but not by GET`, async () => {
    expect(await get(service, { documentId: CREATE_HASH })).toMatchObject({
      status: 405,
      text: graphqlErrorBody(
        405,
        'METHOD_NOT_ALLOWED',
        'Can only perform a mutation operation from a POST request.',
      ),
    });
    expect(await service.database.pet.count()).toBe(0);
    expect(await post(service, { documentId: CREATE_HASH })).toMatchObject({
      text: '{"data":{"createPet":{"name":"Rex"}}}',
    });
  });

  test.each([
    ['a different stored document', CREATE],
    ['a document that is not stored', NOT_STORED],
    ['the same document with an additional line break', `${NAME}\n`],
  ])(
    `trusted documents ${mode}: a documentId with a query that is %s returns 422`,
    async (_what, query) => {
      const mismatch = badInput('The identifier is not the SHA-256 of query');
      expect(await post(service, { query, documentId: NAME_HASH })).toMatchObject(mismatch);
    },
  );

  test(`trusted documents ${mode}: a query overrides a persistedQuery that does not match it`, async () => {
    const extensions = persistedQuery(NAME_HASH);
    const stored = await post(service, { query: CREATE, extensions });
    expect([stored.status, stored.json]).toMatchObject([200, { data: { createPet: {} } }]);
    const { status } = await post(service, { query: NOT_STORED, extensions });
    expect(status).toBe(mode === 'only' ? 403 : 200);
  });

  const ID = 'documentId must be sha256: and 64 lower-case hexadecimal digits, or the digits alone';
  const PERSISTED =
    'extensions.persistedQuery must have version 1 and a sha256Hash of 64 lower-case hexadecimal digits';
  test.each<[object, string]>([
    [{ documentId: 'Name' }, ID],
    [{ documentId: '' }, ID],
    [{ documentId: 7 }, ID],
    [{ documentId: NAME_HASH.toUpperCase() }, ID],
    [{ documentId: `md5:${NAME_HASH}` }, ID],
    [{ documentId: `${NAME_HASH}0` }, ID],
    [{ documentId: 'Name', query: NAME }, ID],
    [{ extensions: { persistedQuery: true } }, PERSISTED],
    [{ extensions: { persistedQuery: { version: 2, sha256Hash: NAME_HASH } } }, PERSISTED],
    [{ extensions: persistedQuery('Name') }, PERSISTED],
    [{ extensions: {} }, 'query must be a string with a GraphQL document'],
    [{ documentId: NAME_HASH, query: 7 }, 'query must be a string with a GraphQL document'],
  ])(
    `trusted documents ${mode}: %j is rejected, because it does not identify a document`,
    async (parameters, message) => {
      expect(await post(service, parameters)).toMatchObject(badInput(message));
    },
  );
}

test('trusted documents optional: any other document is executed', async () => {
  expect(await post(also, { query: NOT_STORED })).toMatchObject({ status: 200, text: NAMED });
});

test('trusted documents optional: an unknown persistedQuery returns the error that makes clients send the query', async () => {
  const extensions = persistedQuery(sha256(NOT_STORED));
  const text = graphqlErrorBody(404, 'NOT_FOUND', 'PersistedQueryNotFound');
  expect(await post(also, { extensions })).toMatchObject({ status: 404, text });
  expect(await get(also, { extensions })).toMatchObject({ status: 404, text });
  expect(await post(also, { extensions }, 'application/json')).toMatchObject({ status: 200, text });
  expect(await post(also, { query: NOT_STORED, extensions })).toMatchObject({ text: NAMED });
  // The query that the client sent is not stored.
  expect(await post(also, { extensions })).toMatchObject({ status: 404, text });
});

test('trusted documents optional: an unknown documentId returns 404', async () => {
  const hash = sha256(NOT_STORED);
  expect(await post(also, { documentId: `sha256:${hash}` })).toMatchObject({
    status: 404,
    text: graphqlErrorBody(404, 'NOT_FOUND', `No document is stored with the SHA-256 ${hash}`),
  });
});

const INTROSPECTION = '{ __schema { queryType { name } } }';
test.each<[string, object, string]>([
  ['a query', { query: NOT_STORED }, NOT_STORED],
  ['a mutation', { query: `${CREATE} ` }, `${CREATE} `],
  ['an introspection query', { query: INTROSPECTION }, INTROSPECTION],
  ['an invalid document', { query: '{' }, '{'],
  ['an empty query', { query: '' }, ''],
  ['a documentId', { documentId: sha256(NOT_STORED) }, NOT_STORED],
  ['a persistedQuery', { extensions: persistedQuery(sha256(NOT_STORED)) }, NOT_STORED],
  [
    'a persistedQuery with its query',
    { query: NOT_STORED, extensions: persistedQuery(sha256(NOT_STORED)) },
    NOT_STORED,
  ],
])(
  'trusted documents only: %s that is not stored returns 403, whatever media type the client accepts',
  async (_what, body, text) => {
    const animals = await only.database.pet.count();
    const expected = notTrusted(sha256(text));
    expect(await post(only, body)).toMatchObject(expected);
    expect(await post(only, body, 'application/json')).toMatchObject(expected);
    expect(await get(only, { ...body })).toMatchObject(expected);
    expect(await only.database.pet.count()).toBe(animals);
  },
);

test('trusted documents only: REST requests are still served', async () => {
  expect(await only.request('/v1/pets?limit=1')).toMatchObject({ status: 200 });
});

test('a known trusted document is cached for a minute, and an unknown one is looked up each time', async () => {
  const document = 'query Kept { __typename }';
  const hash = sha256(document);
  expect(await post(only, { documentId: hash })).toMatchObject({ status: 403 });
  await only.tables.trustedDocument.create({ data: { hash, document } });
  expect(await post(only, { documentId: hash })).toMatchObject({ text: NAMED });
  await only.tables.trustedDocument.delete({ where: { hash } });
  expect(await post(only, { documentId: hash })).toMatchObject({ text: NAMED });
  // It is not cached permanently, because a document can be withdrawn.
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_001);
  await cachesReadClock();
  expect(await post(only, { documentId: hash })).toMatchObject(notTrusted(hash));
});
