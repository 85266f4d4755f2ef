import { expect, test } from 'vitest';
import { rotateKey } from '../../packages/access/src/keys/api-keys.ts';
import { createKey } from '../support/keys.ts';
import { startGateway } from '../support/gateway.ts';

const { request, database } = await startGateway();

test('while a key is being rotated it still creates what it names', async () => {
  const { key, id } = await createKey(database);
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
  // In the midst of the rotation, when it holds the key's row.
  await database.$executeRaw`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END'`;
  await database.$executeRaw`CREATE TRIGGER wait BEFORE INSERT ON _gateway_api_keys
    FOR EACH ROW EXECUTE FUNCTION wait()`;
  const { rotating, status } = await database.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(1)`;
    const begun = rotateKey(database, id, 60_000);
    await expect.poll(waitingForLocks).toBe(1);
    return { rotating: { begun }, status: await create() };
  });
  expect(status).toBe(201);
  expect(await rotating.begun).toMatch(/^asg_/);
});

async function waitingForLocks(): Promise<number> {
  const rows = await database.$queryRaw<unknown[]>`
    SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  return rows.length;
}
