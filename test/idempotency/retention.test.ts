import { expect, inject, test } from 'vitest';
import { createKey } from '../../src/auth/key-records.ts';
import { openDatabase } from '../../src/database/client.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startService } from '../support/service.ts';

test('a service removes names of more than a day ago, however many, and keeps the others', async () => {
  const url = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  await using stack = new AsyncDisposableStack();
  const database = openDatabase(url);
  stack.defer(() => database.$disconnect());
  await createKey(database, 'test', null);
  await database.$executeRaw`
    INSERT INTO idempotency_keys
    SELECT (SELECT id FROM api_keys), number::text, number, 'Rex', 1, 'sold',
      now() - CASE WHEN number <= 2500 THEN interval '24:01' ELSE interval '23:59' END
    FROM generate_series(1, 2600) AS number`;
  stack.use((await startService({ DATABASE_URL: url })).child);
  const names = async () => {
    const rows = await database.idempotencyKey.findMany({ select: { name: true } });
    return rows.map(({ name }) => Number(name)).toSorted((a, b) => a - b);
  };
  const kept = Array.from({ length: 100 }, (_, index) => 2501 + index);
  await expect.poll(names, { timeout: 20_000 }).toEqual(kept);
});
