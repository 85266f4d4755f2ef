import { keys } from '../support/store-commands.ts';
import { expect, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { runInProcess } from '../support/command.ts';
import { newDatabase } from '../support/new-database.ts';
import { startGateway } from '../support/gateway.ts';

const SESSIONS = `
  SELECT application_name AS name, query FROM pg_stat_activity
  WHERE datname = current_database() AND application_name <> ''`;

/** A database and two outside sessions. One only observes, because pg_stat_activity is frozen in a transaction. */
async function databaseWithOutsider() {
  const databaseUrl = await newDatabase();
  const outsider = await connectClient(databaseUrl);
  const observer = await connectClient(databaseUrl);
  const sessions = async () => {
    const { rows } = await observer.query<{ name: string; query: string }>(SESSIONS);
    return rows;
  };
  const names = async () => new Set((await sessions()).map(({ name }) => name));
  return { databaseUrl, outsider, sessions, names };
}

test.each([
  ['the default application name', '', 'animal-store-gateway serve'],
  ['the application_name from the URL', '&application_name=north', 'north'],
])("the service's connections use %s", async (_what, parameter, name) => {
  const { databaseUrl, names } = await databaseWithOutsider();
  const { request } = await startGateway({ databaseUrl: databaseUrl + parameter });
  await request('/v1/pets');
  expect(await names()).toEqual(new Set([name]));
});

test('connections from commands and migrations have their own application names', async () => {
  const { databaseUrl, outsider, names } = await databaseWithOutsider();
  await outsider.query('BEGIN; LOCK TABLE _prisma_migrations');
  const listed = runInProcess(keys, ['list'], { env: { DATABASE_URL: databaseUrl } });
  await expect.poll(names).toEqual(new Set(['animal-store-gateway migrate']));
  await outsider.query('COMMIT; BEGIN; LOCK TABLE _gateway_api_keys');
  await expect.poll(names).toEqual(new Set(['animal-store-gateway keys']));
  await outsider.query('COMMIT');
  expect(await listed).toMatchObject({ code: 0 });
});

test("POOL_SIZE limits a service's connections, and writes leave some of them for reads", async () => {
  const { databaseUrl, outsider, sessions } = await databaseWithOutsider();
  const { request, post } = await startGateway({ databaseUrl, poolSize: 4 });
  await outsider.query('BEGIN; LOCK TABLE pets IN SHARE MODE');
  const created = Array.from({ length: 40 }, async (_, index) => {
    const { status } = await post('/v1/pets', { name: `Rex ${index}`, categoryId: 1 });
    return status;
  });
  const waiting = async () =>
    (await sessions()).filter(({ query }) => query.includes('INSERT INTO "pets"')).length;
  await expect.poll(waiting).toBe(1);
  expect((await request('/v1/pets')).json).toEqual([]);
  expect(await waiting()).toBe(1);
  expect((await sessions()).length).toBeLessThanOrEqual(4);
  await outsider.query('COMMIT');
  expect(new Set(await Promise.all(created))).toEqual(new Set([201]));
});
