import { expect, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { newDatabase } from '../support/new-database.ts';

/* The tests in SHARDED of vitest.config.ts rely on this: without it, they would prove nothing about Citus. */

test('in the tests of a store on Citus, the pets table has shards on both workers', async () => {
  const client = await connectClient(await newDatabase());
  const { rows } = await client.query(
    "SELECT DISTINCT nodeport FROM citus_shards WHERE table_name = 'pets'::regclass",
  );
  expect(rows).toHaveLength(2);
});
