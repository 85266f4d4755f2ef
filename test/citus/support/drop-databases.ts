import { Client } from 'pg';
import { afterAll, inject } from 'vitest';

/** Drops the databases of a test file, because Citus runs a process for each database on all nodes. */
afterAll(async () => {
  const client = new Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT datname AS name FROM pg_database WHERE datname LIKE 'test\\_%'",
  );
  for (const { name } of rows) {
    const drop = `DROP DATABASE ${name}`;
    const byForce = `${drop} WITH (FORCE)`;
    // Citus' internal connections would stay open.
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = $1 AND (backend_type <> 'client backend' OR application_name LIKE 'citus\\_internal%')`,
      [name],
    );
    // A plain DROP waits for closing connections; FORCE ends the remaining ones.
    await client.query(drop).catch(() => dropByForce(client, byForce, 5));
    await client.query('SELECT run_command_on_workers($1)', [byForce]);
  }
  await client.end();
});

/** A busy machine may take longer to end all connections than PostgreSQL waits for them, so this makes several attempts. */
async function dropByForce(client: Client, statement: string, attempts: number): Promise<void> {
  try {
    await client.query(statement);
  } catch (error) {
    if (attempts === 1) {
      throw error;
    }
    await dropByForce(client, statement, attempts - 1);
  }
}
