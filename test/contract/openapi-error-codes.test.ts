import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { startGateway } from '../support/gateway.ts';
import { at, operations } from '../support/openapi.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const { url, request, post, database } = await startGateway();
// Long enough for a machine at work to read what is sent: where nothing has come, nothing is answered.
const impatient = await startGateway({ timeouts: { head: 3000, check: 10 } });

function codeOf(body: unknown): unknown {
  return isJsonObject(body) ? body['code'] : undefined;
}

/** The code of the answer to bytes that are no whole, or no acceptable, request. */
async function codeFor(address: string, bytes: string): Promise<unknown> {
  const connection = await rawConnection(address);
  connection.send(bytes);
  const [answer] = await connection.answers(1);
  return codeOf(JSON.parse(answer?.body.toString() ?? ''));
}

test('ErrorCode has the codes of what REST answers, and no other', async () => {
  // Each of these is an answer: openapi-answers.test.ts.
  const documented = operations.flatMap(({ responses }) =>
    [...responses.values()].flatMap(({ examples }) => examples.map(codeOf)),
  );
  await database.$executeRaw`ALTER TABLE pets ADD UNIQUE (name)`;
  await post('/v1/pets', { name: 'Only', categoryId: 1 });
  const undocumented = [
    codeOf((await post('/v1/pets', { name: 'Only', categoryId: 1 })).json),
    codeOf((await request('/v1/pets', { method: 'DELETE' })).json),
    await codeFor(impatient.url, 'GET '),
    await codeFor(url, head('FETCH /v1/pets')),
    await codeFor(url, head(`GET /v1/${'a'.repeat(8000)}`)),
    await codeFor(url, head('GET /v1/pets', `X-Any: ${'a'.repeat(16_384)}`)),
  ];
  const codes = [...documented, ...undocumented].filter((code) => code !== undefined);
  expect(new Set(codes)).toEqual(
    new Set([at('components', 'schemas', 'ErrorCode', 'anyOf', 0, 'enum')].flat()),
  );
});

test('each ErrorCode says what it means', () => {
  const meanings = at('components', 'schemas', 'ErrorCode', 'x-enumDescriptions');
  expect(Object.keys(isJsonObject(meanings) ? meanings : {})).toEqual(
    at('components', 'schemas', 'ErrorCode', 'anyOf', 0, 'enum'),
  );
  expect(meanings).toMatchObject({ UNAUTHENTICATED: 'Missing or invalid API key.' });
});
