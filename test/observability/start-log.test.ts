import packageJson from '../../package.json' with { type: 'json' };
import { expect, inject, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { createDatabase } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { connected } from '../support/migrating.ts';

/** What a start logs once it listens, and everything that it has logged. */
async function start(env: NodeJS.ProcessEnv) {
  await using service = await startService(env);
  const line = await service.child.line('stdout', (text) => text.includes('"msg":"listening"'));
  const logged: unknown = JSON.parse(line);
  return { logged: isJsonObject(logged) ? logged : {}, output: service.child.stdout() };
}

test('a start logs what has started, on which database, and the migrations that it applied', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'));
  const operator = await connected(databaseUrl);
  const { rows } = await operator.query<{ server_version: string }>('SHOW server_version');
  const first = await start({ DATABASE_URL: databaseUrl });
  expect(first.logged).toMatchObject({
    version: packageJson.version,
    node: process.versions.node,
    database: new URL(databaseUrl).searchParams.get('host'),
    postgresql: rows[0]?.server_version,
  });
  const applied = await operator.query<{ name: string }>(
    'SELECT migration_name AS name FROM _gateway_migrations UNION ALL SELECT migration_name FROM _prisma_migrations',
  );
  expect(first.logged['migrations']).toEqual(
    expect.arrayContaining(applied.rows.map(({ name }) => name)),
  );
  expect(first.output.match(/"postgresql":/g)).toHaveLength(1);

  const second = await start({ DATABASE_URL: databaseUrl, WORKERS: '2' });
  expect(second.logged).toMatchObject({ version: packageJson.version, workers: 2, migrations: [] });
  expect(second.output.match(/"postgresql":/g)).toHaveLength(1);
});
