import { expect, test } from 'vitest';
import { post } from '../support/stores.ts';
import { startGateway } from '../support/gateway.ts';

const { database, request } = await startGateway();
for (const statement of [
  'CREATE TABLE kinds (id bigint PRIMARY KEY)',
  'INSERT INTO kinds VALUES (1)',
  "SELECT create_reference_table('kinds')::text",
  'ALTER TABLE pets ADD CONSTRAINT of_a_kind FOREIGN KEY (category_id) REFERENCES kinds',
  "ALTER TABLE pets ADD CONSTRAINT no_rats CHECK (name <> 'rat')",
  'ALTER TABLE pets ALTER name TYPE varchar(20)',
]) {
  await database.$executeRawUnsafe(statement);
}

// Each shard has its own constraints with different names.
test.each([
  [{ name: 'Free', categoryId: 2 }, 'categoryId refers to something that does not exist'],
  [{ name: 'rat', categoryId: 1 }, 'name has a value that is not allowed'],
  [{ name: 'x'.repeat(21), categoryId: 1 }, 'name is too large or too long'],
])(
  'a constraint violation on a shard names the input, with and without an idempotency key: %j',
  async (input, message) => {
    for (const key of [undefined, message.replaceAll(' ', '-')]) {
      const headers = key === undefined ? {} : { 'Idempotency-Key': key };
      const answer = await post({ request }, '/v1/pets', input, headers);
      expect(answer.json).toEqual({ code: 'BAD_USER_INPUT', message, status: 400 });
    }
  },
);

async function create(name: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await post({ request }, '/v1/pets', { name, categoryId: 1 }, headers);
  return answer.status;
}

/** Makes the id sequence start again, like on a promoted standby that lacks its latest changes. */
async function resetSequence(): Promise<void> {
  await database.$queryRawUnsafe("SELECT setval('pets_id_seq', 1, false)::text");
}

test('a create whose generated id is already taken is retried with a new id, alone and in a batch', async () => {
  for (const name of ['one', 'two', 'three']) {
    expect(await create(name)).toBe(201);
  }
  await resetSequence();
  expect(await create('alone')).toBe(201);
  await resetSequence();
  expect(await create('once', { 'Idempotency-Key': 'taken-id' })).toBe(201);
  await resetSequence();
  const batch = Array.from({ length: 8 }, (_, number) => create(`batched ${number}`));
  expect(await Promise.all(batch)).toEqual(batch.map(() => 201));
});
