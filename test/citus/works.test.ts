import { expect, inject, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';

/* What the tests of SHARDED in vitest.config.ts rely on: without it, they would prove nothing of Citus. */

test('the tests of a store on Citus have animals in shards on both workers', async () => {
  const client = await connectClient(
    await createDatabase(inject('postgresUrl'), { template: TEMPLATE }),
  );
  const { rows } = await client.query(
    "SELECT DISTINCT nodeport FROM citus_shards WHERE table_name = 'pets'::regclass",
  );
  expect(rows).toHaveLength(2);
});
