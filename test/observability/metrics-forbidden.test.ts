import { generateApiKey } from '../support/store-database.ts';
import { getOperationAST } from 'graphql';
import { expect, test } from 'vitest';
import { codedError } from '@store-gateway/ops/errors';
import type { OperationStep } from '@store-gateway/graphql/execution';
import type { Caller } from '../../packages/access/src/keys/api-keys.ts';
import { createKey } from '../support/keys.ts';
import { AUDIENCE, startIdentityProvider } from '../support/identity-provider.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';

/** Rejects mutations, and adds an error to the result of the query `Part`. */
const refuse: OperationStep<Caller> = async (operation, request, next) => {
  const asked = getOperationAST(operation.document, operation.operationName);
  const kind: string | undefined = asked?.operation;
  const errors = [codedError('FORBIDDEN', 'not for this key')];
  if (kind === 'mutation') {
    return { errors };
  }
  const result = await next(operation, request);
  return asked?.name?.value === 'Part' ? { ...result, errors } : result;
};

const provider = await startIdentityProvider();
const { database, log, metricsUrl, moved, send } = await startMeasuredGateway({
  failedAuthLimit: { quota: 1, windowSeconds: 6000 },
  oidcIssuer: provider.issuer,
  oidcAudience: AUDIENCE,
  access: {
    authenticate: async ({ headers }, byApiKey) =>
      headers['x-user'] === undefined
        ? byApiKey()
        : { id: BigInt(String(headers['x-user'])), scopes: new Set<string>() },
  },
  api: { operationSteps: [refuse] },
});

const post = (path: string, body: object, Accept = '*/*') =>
  send(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept },
    body: JSON.stringify(body),
  });
const CREATE = 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }';
const PART = 'query Part { pets { id } }';
const GRAPHQL_RESPONSE = 'application/graphql-response+json';

test.each<[string, number, () => Promise<number>]>([
  ['REST refuses', 403, () => post('/v1/pets', { name: 'Rex', categoryId: 1 })],
  ['GraphQL refuses', 403, () => post('/graphql', { query: CREATE }, GRAPHQL_RESPONSE)],
  ['GraphQL refuses, as JSON', 403, () => post('/graphql', { query: CREATE })],
  ['GraphQL refuses a part', 294, () => post('/graphql', { query: PART }, GRAPHQL_RESPONSE)],
  ['GraphQL refuses a part, as JSON', 200, () => post('/graphql', { query: PART })],
])(
  'a request that %s is counted once as forbidden, with the id of its key',
  async (_what, status, ask) => {
    const counted = await moved(/^animal_store_forbidden/, async () => {
      expect(await ask()).toBe(status);
    });
    expect(counted).toEqual({ 'animal_store_forbidden_requests_total{key_id=1}': 1 });
  },
);

test("a request outside its key's restrictions is counted as forbidden", async () => {
  const { key: ofPages } = await createKey(database, { origins: ['https://shop.example'] });
  const Authorization = `Bearer ${ofPages}`;
  for (const path of ['/v1/pets', '/graphql?query={pets{id}}', '/key']) {
    const counted = await moved(/^animal_store_forbidden/, async () => {
      expect(await send(path, { headers: { Authorization } })).toBe(403);
    });
    expect(counted).toEqual({ 'animal_store_forbidden_requests_total{key_id=2}': 1 });
  }
});

test('requests that are not forbidden are not counted as forbidden', async () => {
  const counted = await moved(/^animal_store_forbidden/, async () => {
    expect(await send('/v1/pets')).toBe(200);
    expect(await send('/v1/pets/0')).toBe(404);
    expect(await send('/v1/pets', { headers: { Authorization: 'none' } })).toBe(401);
  });
  expect(counted).toEqual({});
});

const withToken = (sub: string, scope: string) => ({
  headers: { Authorization: `Bearer ${provider.sign({ sub, scope })}` },
});

test('callers without an API key share one metric label, and only the log identifies them', async () => {
  const counted = await moved(/^animal_store_(?:deprecated_calls|forbidden)/, async () => {
    for (const sub of ['ann@shop.example', 'bob@shop.example']) {
      expect(await send('/v1/pets/0', withToken(sub, 'read'))).toBe(404);
      expect(await send('/v1/pets', withToken(sub, ''))).toBe(403);
    }
    expect(await send('/v1/pets', { headers: { 'X-User': '70001' } })).toBe(403);
    expect(await send('/v1/pets/0')).toBe(404);
  });
  expect(counted).toEqual({
    'animal_store_deprecated_calls_total{key_id=user field=pet}': 2,
    'animal_store_deprecated_calls_total{key_id=1 field=pet}': 1,
    'animal_store_forbidden_requests_total{key_id=user}': 3,
  });
  const metrics = await (await fetch(metricsUrl)).text();
  // The measured values are stripped because they may contain any digits.
  expect(metrics.replaceAll(/ [^ ]+$/gm, '')).not.toMatch(/shop\.example|sub:|70001/);
  await log.line((line) => line.includes('"keyId":"sub:ann@shop.example"'));
});

test('requests beyond FAILED_AUTH_LIMIT are counted as rate-limited, and their keys are not looked up', async () => {
  const counted = await moved(
    /^animal_store_auth|^http_server\w+count|count\{.*find-key/,
    async () => {
      for (const status of [401, 429, 429]) {
        const headers = { Authorization: `Bearer ${generateApiKey()}` };
        expect(await send('/v1/pets', { headers })).toBe(status);
      }
    },
  );
  const requests = 'http_server_request_duration_seconds_count{surface=rest operation=listPets';
  expect(counted).toEqual({
    [`${requests} http_response_status_code=401}`]: 1,
    [`${requests} http_response_status_code=429}`]: 2,
    'animal_store_authentications_total{outcome=unknown}': 1,
    'animal_store_authentications_total{outcome=rate_limited}': 2,
    'db_client_operation_duration_seconds_count{db_query_summary=find-key-by-hash}': 1,
  });
});
