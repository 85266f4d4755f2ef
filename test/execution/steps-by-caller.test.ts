import { expect, test } from 'vitest';
import { codedError } from '@store-gateway/ops/errors';
import type { OperationStep } from '@store-gateway/graphql/execution';
import type { Caller } from '../../packages/access/src/keys/api-keys.ts';
import { startGateway } from '../support/gateway.ts';
import { createKey } from '../support/keys.ts';

/** Refuses callers whose id is odd, and answers the query of all others by their id. */
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

const gateway = await startGateway({
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
const keys = await Promise.all(Array.from({ length: 8 }, () => createKey(gateway.database)));

await gateway.database.pet.create({ data: { name: 'Rex', categoryId: 1n, status: 'available' } });

/** Sends the same request from 32 clients: four callers are refused, and four are not. */
async function askAtOnce(path: string): Promise<string[]> {
  const asked = Array.from({ length: 32 }, async (_, index) => {
    const { key = '', id = 0n } = keys[index % keys.length] ?? {};
    const Authorization = `Bearer ${key}`;
    const { text, headers } = await gateway.request(path, { headers: { Authorization } });
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
  'a response that a step makes for one caller never reaches another: %s',
  async (path) => {
    const wrong: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      wrong.push(...(await askAtOnce(path)));
    }
    expect(wrong).toEqual([]);
  },
);
