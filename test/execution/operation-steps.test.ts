import { getOperationAST } from 'graphql';
import { expect, test } from 'vitest';
import { codedError } from '@store-gateway/ops/errors';
import type { OperationStep } from '@store-gateway/graphql/execution';
import type { Caller } from '../../packages/access/src/keys/api-keys.ts';
import { startGateway } from '../support/gateway.ts';

const seen: string[] = [];
/** Notes what was asked, as an audit log does. */
const note: OperationStep<Caller> = async (operation, request, next) => {
  const result = await next(operation, request);
  seen.push(kindOf(operation));
  return result;
};
/** Has the service read only. */
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
])('a step is around %s %s, and may answer', async (method, path, body, kind, status) => {
  seen.length = 0;
  const answer = await (method === 'GET' ? gateway.request(path) : gateway.post(path, body));
  expect(answer.status).toBe(status);
  expect(seen).toEqual([kind]);
});

test.each(['/v1/pets?limit=3', PETS])('a step is around each of identical GET %s', async (path) => {
  seen.length = 0;
  const answers = await Promise.all(Array.from({ length: 40 }, () => gateway.request(path)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(seen).toHaveLength(40);
});
