import { expect, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { requestOf, sendTo, type Answer } from '../support/gateway.ts';
import { firstKey, startService } from '../support/service.ts';
import { distribute } from '../support/store-commands.ts';
import { addCitus, createWithoutCitus, startUndistributed } from './support/own-cluster.ts';

const cluster = await startUndistributed();

/** Starts a gateway, creates some animals, and then adds Citus to its database. */
async function startBeforeCitus(name: string) {
  const env = { DATABASE_URL: await createWithoutCitus(cluster, name), RATE_LIMIT: 'off' };
  const service = await startService(env);
  const request = requestOf(service.url, await firstKey(service));
  const send = (method: string, path: string, body?: object, key?: string): Promise<Answer> =>
    sendTo({ request })(method, path, body, key === undefined ? {} : { 'Idempotency-Key': key });
  const create = (key?: string) => send('POST', '/v1/pets', { name: 'Rex', categoryId: 1 }, key);
  for (let count = 0; count < 20; count += 1) {
    expect((await create()).status).toBe(201);
  }
  await addCitus(cluster, name);
  return {
    env,
    send,
    create,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

test('a gateway that started before Citus was added serves a distributed table', async () => {
  await using older = await startBeforeCitus('older');
  const { send, create } = older;
  await create('before');
  await cluster.coordinator.ask("SELECT create_distributed_table('pets', 'id')", 'older');

  const query = { query: '{ petsConnection(last: 3) { edges { node { id } } } }' };
  const mutation = { query: 'mutation { deletePet(id: 4) { id } }' };
  const first = await Promise.all([
    send('GET', '/v1/pets/1'),
    send('GET', '/v1/pets/2'),
    send('GET', '/v1/pets'),
    send('GET', '/v1/pets?status=available&limit=3'),
    send('POST', '/graphql', query),
    send('PATCH', '/v1/pets/1', { name: 'Max' }),
    send('PATCH', '/v1/pets/2', { name: 'Max' }, 'change'),
    send('DELETE', '/v1/pets/3'),
    send('POST', '/graphql', mutation),
    create(),
    create(),
    create('once'),
    create('before'),
  ]);
  expect(first.map(({ status }) => status)).toEqual([
    200, 200, 200, 200, 200, 200, 200, 204, 200, 201, 201, 201, 201,
  ]);
  expect(first.filter(({ text }) => text.includes('"errors"'))).toEqual([]);
  const [again, changed] = [await create('once'), await send('GET', '/v1/pets/2')];
  expect(again.json).toEqual(first.at(-2)?.json);
  expect(changed.json).toMatchObject({ name: 'Max' });
  expect((await send('GET', '/v1/pets?limit=100')).json).toHaveLength(22);
});

test('distribute fails while a connected gateway has not detected Citus, and works after it has reconnected', async () => {
  await using older = await startBeforeCitus('reconnecting');
  const { env, send } = older;
  const refused = await runInProcess(distribute, ['Pet'], { env });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /: processes that started before Citus was set up are still connected \(animal-store-gateway serve\); restart them first\.\n$/,
  );

  const sessions =
    "FROM pg_stat_activity WHERE datname = 'reconnecting' AND application_name LIKE 'animal-store-gateway serve%'";
  await cluster.coordinator.ask(`SELECT pg_terminate_backend(pid) ${sessions}`);
  await expect
    .poll(
      async () => {
        await send('GET', '/v1/pets/1');
        return cluster.coordinator.ask(
          `SELECT string_agg(DISTINCT application_name, ', ') ${sessions}`,
        );
      },
      { timeout: 10_000 },
    )
    .toBe('animal-store-gateway serve on Citus');
  expect(await runInProcess(distribute, ['Pet'], { env })).toMatchObject({ code: 0, stderr: '' });
  expect((await send('GET', '/v1/pets')).status).toBe(200);
});
