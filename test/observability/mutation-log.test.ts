import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startAuditedAnimals } from '../support/audited-animals.ts';
import { createKey } from '../support/keys.ts';
import { captureLog } from '../support/captured-log.ts';
import { requestOf, sendTo } from '../support/gateway.ts';
import { idIn, operation } from '../support/named-request.ts';

// Log no successful request, only failed and slow ones.
const gateway = await startAuditedAnimals({ logSample: 0 });
const log = captureLog();

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly body: string;
  readonly key?: string;
  readonly apiKey?: string;
}

/** Sends a request; returns its mutation lines, which are written before the response is sent. */
async function linesOf({ path = '/v1/pets', method = 'POST', body, key, apiKey }: Sent) {
  const requestId = randomUUID();
  const send = sendTo({ request: requestOf(gateway.url, apiKey ?? gateway.key) });
  const keyed = key === undefined ? {} : { 'Idempotency-Key': key };
  const response = await send(method, path, body, { 'X-Request-Id': requestId, ...keyed });
  const lines = log.lines(requestId).filter(({ msg }) => msg === 'mutation');
  return { response, lines, requestId };
}

const mutate = (fields: string) => linesOf(operation(`mutation { ${fields} }`));

const line = (requestId: string, of: string, ids: readonly string[], outcome: string) => ({
  level: 30,
  time: expect.any(Number) as unknown,
  requestId,
  keyId: '1',
  operation: of,
  ids,
  outcome,
  msg: 'mutation',
});

async function add(): Promise<string> {
  return idIn((await linesOf({ body: '{"name":"Rex"}' })).response);
}

test('both APIs log a mutation in one line, whatever LOG_SAMPLE and the selection are', async () => {
  const rest = await linesOf({ body: '{"name":"Rex"}' });
  const id = idIn(rest.response);
  expect(rest.lines).toEqual([line(rest.requestId, 'createPet', [id], 'ok')]);
  const graphql = await mutate('createPet(input: { name: "Ida" }) { name }');
  expect(graphql.lines).toEqual([
    line(graphql.requestId, 'createPet', [String(BigInt(id) + 1n)], 'ok'),
  ]);
  const patched = await linesOf({
    path: `/v1/pets/${id}`,
    method: 'PATCH',
    body: '{"name":"Leo"}',
  });
  expect(patched.lines).toEqual([line(patched.requestId, 'updatePet', [id], 'ok')]);
  expect(log.text()).not.toMatch(/Rex|Ida|Leo/);
});

test('each mutation field is logged in its own line, under its name in the schema', async () => {
  const id = await add();
  const { lines, requestId } = await linesOf(
    operation(
      `mutation ($id: ID!) { ...Both } fragment Both on Mutation {
        first: updatePet(id: $id, input: {}) { name } deletePet(id: ${id}) { name }
      }`,
      { id },
    ),
  );
  expect(lines).toEqual([
    line(requestId, 'updatePet', [id], 'ok'),
    line(requestId, 'deletePet', [id], 'ok'),
  ]);
});

test('a field that returns several rows is logged with all their ids', async () => {
  const id = await add();
  const { lines, requestId } = await mutate(`swapPets(id: ${id}, fails: false) { name }`);
  expect(lines).toEqual([line(requestId, 'swapPets', [id, String(BigInt(id) + 1n)], 'ok')]);
});

test('a compiled mutation is logged like an interpreted one', async () => {
  const all: unknown[] = [];
  const expected: unknown[] = [];
  for (const id of [await add(), await add(), await add(), await add()]) {
    const { lines, requestId } = await linesOf(
      operation('mutation ($id: ID!) { deletePet(id: $id) { name } }', { id }),
    );
    all.push(...lines);
    expected.push(line(requestId, 'deletePet', [id], 'ok'));
  }
  expect(all).toEqual(expected);
});

test('a replay is logged as replayed', async () => {
  const key = randomUUID();
  const first = await linesOf({ body: '{"name":"Rex"}', key });
  const again = await linesOf({ body: '{"name":"Rex"}', key });
  const ids = [idIn(first.response)];
  expect(first.lines).toEqual([line(first.requestId, 'createPet', ids, 'ok')]);
  expect(again.lines).toEqual([line(again.requestId, 'createPet', ids, 'replayed')]);
  const reused = await linesOf({ body: '{"name":"Ida"}', key });
  expect(reused.lines).toEqual([line(reused.requestId, 'createPet', [], 'IDEMPOTENCY_KEY_REUSED')]);
});

test.each<[why: string, sent: Sent, told: string]>([
  [
    'no row has the id',
    operation('mutation { deletePet(id: "4611686018427387904") { id } }'),
    'deletePet 4611686018427387904 NOT_FOUND',
  ],
  [
    'an input breaks a rule',
    operation('mutation { updatePet(id: 5, input: { name: "" }) { id } }'),
    'updatePet 5 BAD_USER_INPUT',
  ],
  [
    'a variable has another type',
    operation('mutation ($input: NewPet!) { createPet(input: $input) { id } }', { input: 7 }),
    'createPet BAD_USER_INPUT',
  ],
  ['its body is not JSON', { body: '{' }, 'createPet BAD_USER_INPUT'],
  [
    'its body is not an object',
    { body: '7', path: '/v1/pets/6', method: 'PATCH' },
    'updatePet 6 BAD_USER_INPUT',
  ],
])('a rejected mutation is logged in one line when %s', async (_why, sent, told) => {
  const { lines, requestId } = await linesOf(sent);
  const [of = '', ...ids] = told.split(' ');
  expect(lines).toEqual([line(requestId, of, ids.slice(0, -1), ids.at(-1) ?? '')]);
});

test('both APIs log a mutation in one line even if the API key lacks the required scope', async () => {
  const { key: apiKey } = await createKey(gateway.database, { scopes: new Set(['read']) });
  for (const [sent, of, ids] of [
    [{ path: '/v1/pets/6', method: 'PATCH', body: '{}' }, 'updatePet', ['6']],
    [
      operation('mutation ($id: ID!) { deletePet(id: $id) { id } }', { id: '7' }),
      'deletePet',
      ['7'],
    ],
  ] as const) {
    const { lines, requestId, response } = await linesOf({ ...sent, apiKey });
    expect(response.status).toBe(403);
    expect(lines).toEqual([{ ...line(requestId, of, ids, 'FORBIDDEN'), keyId: '2' }]);
  }
});

test('mutations after a failed mutation are executed and logged', async () => {
  const { lines, requestId } = await mutate(
    'movePet(id: 4611686018427387904) { id } createPet(input: { name: "Next" }) { id }',
  );
  const { id } = await gateway.database.pet.findFirstOrThrow({ where: { name: 'Next' } });
  expect(lines).toEqual([
    line(requestId, 'movePet', ['4611686018427387904'], 'NOT_FOUND'),
    line(requestId, 'createPet', [String(id)], 'ok'),
  ]);
});

test('an error in the selection does not change the outcome of the mutation', async () => {
  const { lines, requestId } = await mutate('createPet(input: { name: "Rex" }) { broken }');
  expect(lines).toContainEqual(
    line(requestId, 'createPet', [expect.stringMatching(/^\d+$/)], 'ok'),
  );
});

test('an overlong id is omitted from the log, and an API key in an id is redacted', async () => {
  const long = await mutate(`deletePet(id: "${'x'.repeat(65)}") { id }`);
  expect(long.lines).toEqual([line(long.requestId, 'deletePet', [], 'NOT_FOUND')]);
  await mutate(`deletePet(id: "${gateway.key}") { id }`);
  expect(log.text()).not.toContain(gateway.key);
});

test('a query is not logged as a mutation', async () => {
  const { lines } = await linesOf(operation('{ pets { id } }'));
  expect(lines).toEqual([]);
});
