import { expect, test } from 'vitest';
import { hashApiKey } from '../../src/auth/api-key.ts';
import { createKey, rotateKey } from '../../src/auth/key-records.ts';
import { startGateway } from '../support/gateway.ts';

const { request, database } = await startGateway();

test('while a key is being rotated it still creates what it names', async () => {
  const key = await createKey(database, 'busy', null);
  const { id } = await database.apiKey.findUniqueOrThrow({ where: { hash: hashApiKey(key) } });
  const create = async () => {
    const answer = await request('/v1/pets', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': '"one"',
      },
      body: '{"name":"Rex","categoryId":1}',
    });
    return answer.status;
  };
  const statuses: number[] = [];
  // In the midst of the transaction, when it holds the key's row.
  const meanwhile = database.$extends({
    query: {
      apiKey: {
        findFirst: async ({ args, query }) => {
          statuses.push(await create());
          return query(args);
        },
      },
    },
  });
  expect(await rotateKey(meanwhile, id, 60_000)).toMatch(/^asg_/);
  expect(statuses).toEqual([201]);
});
