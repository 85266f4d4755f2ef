import { Client } from 'pg';
import { afterAll, inject } from 'vitest';

/** Each database costs all nodes a process of Citus'. */
afterAll(async () => {
  const client = new Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT datname AS name FROM pg_database WHERE datname LIKE 'test\\_%'",
  );
  for (const { name } of rows) {
    const drop = `DROP DATABASE ${name}`;
    const byForce = `${drop} WITH (FORCE)`;
    // Citus' own connections would stay.
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = $1 AND (backend_type <> 'client backend' OR application_name LIKE 'citus\\_internal%')`,
      [name],
    );
    // It waits for connections that are being closed; what is left of them is ended.
    await client.query(drop).catch(() => client.query(byForce));
    await client.query('SELECT run_command_on_workers($1)', [byForce]);
  }
  await client.end();
});
