import { generateApiKey } from '../support/store-database.ts';
import { schema } from '../support/store.ts';
import { parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { hashApiKey } from '../../packages/access/src/keys/api-keys.ts';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { documents, operations, type ServiceOperation } from '../support/operations.ts';

const { url, key, tables, request } = await startGateway();

const [expired, revoked, unknown] = [generateApiKey(), generateApiKey(), generateApiKey()];
await tables.apiKey.createMany({
  data: [
    { name: 'expired', hash: hashApiKey(expired), expiresAt: new Date('2026-05-04T03:02:01Z') },
    { name: 'revoked', hash: hashApiKey(revoked), revokedAt: new Date() },
  ],
});
const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');

const NO_KEY = {
  challenge: 'Bearer',
  message: 'An API key is required: Authorization: Bearer <API_KEY>',
};
const BAD_KEY = { challenge: 'Bearer error="invalid_token"', message: 'The API key is not valid' };
const EXPIRED = { ...BAD_KEY, message: 'The API key expired on 2026-05-04 at 03:02 UTC' };

const refusals = [
  { what: 'no header', authorization: undefined, ...NO_KEY },
  { what: 'an empty header', authorization: '', ...NO_KEY },
  { what: 'another scheme', authorization: `Basic ${btoa(`user:${key}`)}`, ...NO_KEY },
  { what: 'a key without a scheme', authorization: key, ...NO_KEY },
  { what: 'a scheme that only begins with Bearer', authorization: `Bearers ${key}`, ...NO_KEY },
  { what: 'no key after the scheme', authorization: 'Bearer', ...NO_KEY },
  { what: 'spaces after the scheme', authorization: 'Bearer   ', ...NO_KEY },
  { what: 'a malformed key', authorization: 'Bearer nonsense', ...BAD_KEY },
  { what: 'a key and more', authorization: `Bearer ${key} ${key}`, ...BAD_KEY },
  { what: 'a key in quotes', authorization: `Bearer "${key}"`, ...BAD_KEY },
  { what: 'a wrong checksum', authorization: `Bearer ${mistyped}`, ...BAD_KEY },
  { what: 'an unknown key', authorization: `Bearer ${unknown}`, ...BAD_KEY },
  { what: 'an expired key', authorization: `Bearer ${expired}`, ...EXPIRED },
  { what: 'a revoked key', authorization: `Bearer ${revoked}`, ...BAD_KEY },
];

async function send(
  { method, path, body }: ServiceOperation,
  authorization: string | undefined,
): Promise<{ answer: Response; text: string }> {
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(authorization !== undefined && { Authorization: authorization }),
    },
    ...(body !== undefined && { body }),
  });
  return { answer, text: await answer.text() };
}

function refusalBody({ surface, method }: ServiceOperation, message: string): string {
  if (method === 'HEAD') {
    return '';
  }
  return (surface === 'REST' ? errorBody : graphqlErrorBody)(401, 'UNAUTHENTICATED', message);
}

test('the walk finds what there is to ask, in documents that fit the schema', () => {
  expect(documents.flatMap((document) => validate(schema, parse(document)))).toEqual([]);
  expect(documents).toEqual(
    expect.arrayContaining([
      'query { __typename }',
      'query { pets { __typename } }',
      'query { pet(id: "1") { __typename } }',
      'mutation { createPet(input: { name: "1", categoryId: "1" }) { __typename } }',
    ]),
  );
  expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual(
    expect.arrayContaining(['GET /v1/pets', 'POST /v1/pets', 'GET /v1/pets/1', 'POST /graphql']),
  );
});

describe.each(refusals)('$what', ({ authorization, challenge, message }) => {
  test('is 401 on every operation of both surfaces, in the shape of each', async () => {
    const answers = operations.map(async (operation) => {
      const { answer, text } = await send(operation, authorization);
      return {
        operation,
        status: answer.status,
        challenge: answer.headers.get('WWW-Authenticate'),
        type: answer.headers.get('Content-Type'),
        text,
      };
    });
    expect(await Promise.all(answers)).toEqual(
      operations.map((operation) => ({
        operation,
        status: 401,
        challenge,
        type: 'application/json; charset=utf-8',
        text: refusalBody(operation, message),
      })),
    );
  });
});

test.each(['Bearer ', 'bearer ', 'BEARER ', 'bEaReR ', 'Bearer     '])(
  'a valid key after "%s" opens every operation',
  async (scheme) => {
    const answers = operations.map(async (operation) => {
      const { answer } = await send(operation, scheme + key);
      return { operation, refused: [401, 403].includes(answer.status) || answer.status >= 500 };
    });
    expect(await Promise.all(answers)).toEqual(
      operations.map((operation) => ({ operation, refused: false })),
    );
  },
);

test('a key that is yet to expire works', async () => {
  const lasting = generateApiKey();
  const expiresAt = new Date(Date.now() + 3_600_000);
  await tables.apiKey.create({ data: { name: 'lasting', hash: hashApiKey(lasting), expiresAt } });
  const answer = await request('/v1/pets', { headers: { Authorization: `Bearer ${lasting}` } });
  expect(answer.status).toBe(200);
});

test('an answer to a bad key repeats it neither in its body nor in its headers', async () => {
  const answers = operations.map(async (operation) => {
    const { answer, text } = await send(operation, `Bearer ${unknown}`);
    return JSON.stringify([...answer.headers, text]).includes(unknown.slice(4));
  });
  expect(await Promise.all(answers)).toEqual(operations.map(() => false));
});
