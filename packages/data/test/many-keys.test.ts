import { Pool } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { batchedModels } from '../src/batched-models.ts';
import { deduplicatingClient } from '../src/once.ts';
import { runOn } from '../src/statements.ts';
import { openClients, REMOVED, REUSED } from './clients.ts';
import { models } from './generated/batched-models.ts';

const { engine, options, connectionString, close } = await openClients();
afterAll(close);

const KEYS = 2000;

test('a repeated write reads its own key alone, though there were few keys when it was first repeated', async () => {
  // Sessions of writes leave plans to PostgreSQL, which keeps one after five calls.
  const pool = new Pool({ connectionString, max: 1 });
  try {
    const run = runOn(pool);
    const client = engine.$extends(
      batchedModels(engine, models, { ...options, read: run, write: run }),
    );
    const create = (key: string) =>
      deduplicatingClient(client, {
        nextKey: () => ({ keyId: 1n, name: key }),
        reusedError: () => REUSED,
        goneError: () => REMOVED,
      }).author.create({ data: { name: key, email: key } });
    const repeatAll = () => Promise.all(['a', 'b', 'c'].map(create));
    const first = await repeatAll();
    for (let repetition = 0; repetition < 8; repetition += 1) {
      expect(await repeatAll()).toEqual(first);
    }
    await pool.query(
      `INSERT INTO _gateway_idempotency_keys (key_id, name, model, request, "row")
      SELECT 2, n, 'Author', '{}', '{}' FROM generate_series(1, $1) AS n`,
      [KEYS],
    );
    const readSoFar = async (): Promise<number> => {
      await pool.query('SELECT pg_stat_force_next_flush()');
      const { rows } = await pool.query<{ read: number }>(
        `SELECT seq_tup_read::int AS read FROM pg_stat_user_tables WHERE relname = '_gateway_idempotency_keys'`,
      );
      return rows[0]?.read ?? 0;
    };
    const before = await readSoFar();
    expect(await repeatAll()).toEqual(first);
    expect((await readSoFar()) - before).toBeLessThan(KEYS);
  } finally {
    await pool.end();
  }
});
