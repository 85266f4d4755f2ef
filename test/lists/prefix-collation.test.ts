import { expect, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { startGateway } from '@store-gateway/gateway';
import { gateway } from '../../examples/library/src/gateway.ts';
import { emptyDatabase } from '../support/new-database.ts';

const env = { DATABASE_URL: await emptyDatabase() };

async function setCollation(name: string): Promise<void> {
  const client = await connectClient(env.DATABASE_URL);
  await client.query(`ALTER TABLE books ALTER COLUMN title TYPE text COLLATE "${name}"`);
}

test('a prefix filter on a column that is not ordered by bytes is rejected at startup, with the fix in the error', async () => {
  await (await startGateway(gateway, env))[Symbol.asyncDispose]();
  await setCollation('und-x-icu');
  const refusal = await startGateway(gateway, env).then(
    (started) => started[Symbol.asyncDispose](),
    (error: unknown) => error,
  );
  const remedy = 'ALTER TABLE "books" ALTER COLUMN "title" TYPE text COLLATE "C"';
  expect(refusal).toMatchObject({
    name: 'StartupFailure',
    message: `lists of Book can't be filtered by a prefix of title, because the column's collation doesn't order texts by bytes: run ${remedy}, or remove the prefix filter`,
  });
  await setCollation('C');
  const started = await startGateway(gateway, env);
  expect(started.url).toMatch(/^http/);
  await started[Symbol.asyncDispose]();
});
