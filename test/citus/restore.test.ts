import { applyMigrations } from '@store-gateway/local/migrations';
import { expect, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { post } from '../support/stores.ts';
import { requestOf } from '../support/gateway.ts';
import { firstKey, startService } from '../support/service.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { MIGRATIONS } from '../support/store-database.ts';
import { HOST } from '../system/support/haproxy.ts';
import { ARCHIVING, archiveLog, backUp } from './support/node-copies.ts';
import { startCitus } from './support/cluster.ts';
import { documentedStatements } from './support/deployed-cluster.ts';

const portOf = ({ url }: PostgresServer) => new URL(url).port;

test('nodes restored to a restore point have all rows acknowledged before it, with their idempotency keys', async () => {
  await using cluster = await startCitus({ fsync: 'off', ...ARCHIVING });
  const { coordinator, workers, url } = cluster;
  const database = new URL(url).pathname.slice(1);
  await applyMigrations(url, MIGRATIONS);
  await coordinator.ask("SELECT create_distributed_table('pets', 'id')", database);
  await using service = await startService({ DATABASE_URL: url, RATE_LIMIT: 'off' });
  const key = await firstKey(service);
  const createAt = async (serviceUrl: string, name: string) => {
    const request = requestOf(serviceUrl, key);
    const headers = { 'Idempotency-Key': name };
    const { status, text } = await post({ request }, '/v1/pets', { name, categoryId: 1 }, headers);
    return { status, text };
  };

  const nodes = [coordinator, ...workers];
  const restores = await Promise.all(nodes.map(backUp));
  const acknowledged: { readonly name: string; readonly text: string }[] = [];
  let begun = 0;
  const over = new AbortController();
  const clients = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) {
      begun += 1;
      const name = `pet-${begun}`;
      const { status, text } = await createAt(service.url, name);
      if (status === 201) acknowledged.push({ name, text });
    }
  });
  await expect.poll(() => acknowledged.length).toBeGreaterThan(200);
  const before = [...acknowledged];
  await coordinator.ask("SELECT citus_create_restore_point('nightly')", database);
  const begunBefore = begun;
  await expect.poll(() => acknowledged.length).toBeGreaterThan(begunBefore + 100);
  over.abort();
  await Promise.all(clients);
  await Promise.all(nodes.map(archiveLog));
  await Promise.all(nodes.map(({ stop }) => stop('SIGQUIT')));

  const restored = await Promise.all(restores.map((restore) => restore('nightly')));
  const [newCoordinator] = restored;
  if (newCoordinator === undefined) throw new Error('there is no coordinator');
  const ask = (text: string) => newCoordinator.ask(text, database);
  const { href } = Object.assign(new URL(newCoordinator.url), { pathname: database });
  const operator = await connectClient(href);
  const [, moveNodes = ''] = await documentedStatements();
  const here = restored.reduce(
    (text, node, index) =>
      text.replace(`'10.0.0.4${index + 1}', 5432`, `'${HOST}', ${portOf(node)}`),
    workers.reduce(
      (text, node, index) =>
        text.replace(`nodename = '10.0.0.2${index + 2}'`, `nodeport = ${portOf(node)}`),
      moveNodes,
    ),
  );
  expect(here).not.toContain('10.0.0.');
  for (const statement of here.trim().split('\n')) {
    await operator.query(statement);
  }
  const ports = "SELECT string_agg(nodeport::text, ' ' ORDER BY nodeport) FROM pg_dist_node";
  const { rows: known } = await operator.query<{ ports: string }>(
    'SELECT DISTINCT result AS ports FROM run_command_on_all_nodes($1)',
    [ports],
  );
  expect(known).toEqual([{ ports: restored.map(portOf).toSorted().join(' ') }]);
  await using again = await startService({ DATABASE_URL: href, RATE_LIMIT: 'off' });
  // Wait until Citus has resolved all prepared transactions.
  const prepared =
    "SELECT sum(result::int) FROM run_command_on_workers('SELECT count(*) FROM pg_prepared_xacts')";
  await expect.poll(() => ask(prepared)).toBe('0');
  const count = Number(await ask('SELECT count(*) FROM pets'));
  expect(count).toBeGreaterThanOrEqual(before.length);
  expect(count).toBeLessThanOrEqual(begunBefore);
  expect(await ask('SELECT count(*) FROM _gateway_idempotency_keys')).toBe(String(count));
  for (const { name, text } of before) {
    expect(await createAt(again.url, name)).toEqual({ status: 201, text });
  }
  expect(await ask('SELECT count(*) FROM pets')).toBe(String(count));
});
