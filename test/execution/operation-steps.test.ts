import { getOperationAST } from 'graphql';
import { expect, test } from 'vitest';
import { codedError } from '@store-gateway/ops/errors';
import type { OperationStep } from '@store-gateway/graphql/execution';
import type { Caller } from '../../packages/access/src/keys/api-keys.ts';
import { startGateway } from '../support/gateway.ts';
import { createKey } from '../support/keys.ts';

const seen: string[] = [];
/** Records the kind of each operation, as an audit log would. */
const note: OperationStep<Caller> = async (operation, request, next) => {
  const result = await next(operation, request);
  seen.push(kindOf(operation));
  return result;
};
/** Makes the service read-only. */
const refuseMutations: OperationStep<Caller> = async (operation, request, next) =>
  kindOf(operation) === 'mutation'
    ? { errors: [codedError('SERVICE_UNAVAILABLE', 'it is read only')] }
    : next(operation, request);

function kindOf({ document, operationName }: Parameters<OperationStep<Caller>>[0]): string {
  return getOperationAST(document, operationName)?.operation ?? 'none';
}

const gateway = await startGateway({ api: { operationSteps: [note, refuseMutations] } });
const PETS = '/graphql?query={pets{id}}';

test.each([
  ['GET', '/v1/pets', undefined, 'query', 200],
  ['GET', '/v1/pets', undefined, 'query', 200],
  ['GET', '/v1/pets/1', undefined, 'query', 404],
  ['GET', '/v1/pets/%31', undefined, 'query', 404],
  ['POST', '/v1/pets', { name: 'Rex', categoryId: 1 }, 'mutation', 503],
  ['GET', PETS, undefined, 'query', 200],
  ['GET', PETS, undefined, 'query', 200],
  ['POST', '/graphql', { query: '{ pets { name } }' }, 'query', 200],
  ['POST', '/graphql', { query: '{ pets { name } }' }, 'query', 200],
  ['POST', '/graphql/', { query: '{ pets { name } }' }, 'query', 200],
  [
    'POST',
    '/graphql',
    { query: 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }' },
    'mutation',
    503,
  ],
])(
  'an operation step wraps %s %s and can respond to it itself',
  async (method, path, body, kind, status) => {
    seen.length = 0;
    const answer = await (method === 'GET' ? gateway.request(path) : gateway.post(path, body));
    expect(answer.status).toBe(status);
    expect(seen).toEqual([kind]);
  },
);

/** Rejects callers with an odd id, and answers other callers with their own id. */
const byCaller: OperationStep<Caller> = async (operation, request, next) => {
  const { id } = request.caller;
  if (id % 2n === 1n) {
    return { errors: [codedError('SERVICE_UNAVAILABLE', `not for ${id}`)] };
  }
  const { data } = await next(operation, request);
  const name = Object.keys(data ?? {})[0] ?? '';
  const own = { id: String(id), name: 'own', categoryId: '1', status: 'available' };
  return { data: { [name]: name === 'pets' ? [own] : own } };
};

const ofCallers = await startGateway({
  api: {
    operationSteps: [byCaller],
    steps: [
      (request, response, next) => {
        response.setHeader('X-Key', request.headers.authorization ?? '');
        next();
      },
    ],
  },
});
const keys = await Promise.all(Array.from({ length: 8 }, () => createKey(ofCallers.database)));

await ofCallers.database.pet.create({ data: { name: 'Rex', categoryId: 1n, status: 'available' } });

/** Sends the same request from 32 clients. Four callers are rejected, and four get data. */
async function askAtOnce(path: string): Promise<string[]> {
  const asked = Array.from({ length: 32 }, async (_, index) => {
    const { key = '', id = 0n } = keys[index % keys.length] ?? {};
    const Authorization = `Bearer ${key}`;
    const { text, headers } = await ofCallers.request(path, { headers: { Authorization } });
    const isOwn =
      headers.get('X-Key') === Authorization &&
      (id % 2n === 1n ? text.includes('"SERVICE_UNAVAILABLE"') : idIn(text) === String(id));
    return isOwn ? [] : `${id}: ${text}`;
  });
  return (await Promise.all(asked)).flat();
}

function idIn(text: string): string | undefined {
  return /"id":"?(\d+)/.exec(text)?.[1];
}

test.each(['/graphql?query={pets{id}}', '/v1/pets/1'])(
  "a step's response for one caller never reaches a different caller: %s",
  async (path) => {
    const wrong: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      wrong.push(...(await askAtOnce(path)));
    }
    expect(wrong).toEqual([]);
  },
);
