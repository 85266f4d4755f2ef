import { expect, onTestFinished, test } from 'vitest';
import { onFileFinished } from '../support/clean-up.ts';
import { connectClient } from '../support/connect-client.ts';
import { ask } from '../support/ask.ts';
import { captureLog } from '../support/captured-log.ts';
import { startGateway } from '../support/gateway.ts';

const LIST = 'GET /v1/pets?status=available';
const SOLD = 'GET /v1/pets?status=sold';
const GRAPHQL = 'GET /graphql?query={petsConnection(status:sold){nodes{id}}}';
/** A request that needs an API key and a full GraphQL execution, but does not read the database. */
const PROBE = 'GET /graphql?query={__typename}';

const { databaseUrl, key, url } = await startGateway();
const log = captureLog();
const operator = await connectClient(databaseUrl, onFileFinished);
const holder = await connectClient(databaseUrl, onFileFinished);
await operator.query(
  "INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'available'), ('Tom', 1, 'sold')",
);

const askFor = async (call: string) => ask(url, key, call);
const askOften = async (call: string, times: number) =>
  Promise.all(Array.from({ length: times }, () => askFor(call)));

/** The backends whose statements wait for a lock that the test holds. */
async function waiting(): Promise<number[]> {
  const { rows } = await operator.query<{ pid: number }>(
    `SELECT pid FROM pg_locks WHERE NOT granted
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows.map(({ pid }) => pid);
}

async function someWaiting(): Promise<number[]> {
  await expect.poll(waiting).not.toEqual([]);
  return waiting();
}

async function terminate(pids: readonly number[]): Promise<void> {
  await operator.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [pids]);
}

/** Terminates all waiting backends until a promise is settled. @returns how many backends were terminated */
async function terminateUntil(over: Promise<unknown>): Promise<number> {
  const state = { isOver: false };
  void over.then(() => {
    state.isOver = true;
    return state;
  });
  const terminated = new Set<number>();
  while (!state.isOver) {
    const pids = await waiting();
    await terminate(pids);
    pids.forEach((pid) => terminated.add(pid));
  }
  return terminated.size;
}

/** The number of errors logged so far. */
function errorsLogged(): number {
  return log.text().split('"msg":"SERVICE_UNAVAILABLE"').length - 1;
}

test.each([LIST, GRAPHQL])(
  'a failed %s fails all requests that share it, but not those that arrive while it runs, and is logged once',
  async (call) => {
    await askFor(call);
    const before = errorsLogged();
    for (const fails of ['first', 'all']) {
      await holder.query('BEGIN; LOCK TABLE pets');
      const first = askFor(call);
      const pids = await someWaiting();
      const others = askOften(call, 9);
      await askFor(PROBE);
      const all = Promise.all([first, others]);
      if (fails === 'first') {
        await terminate(pids);
        await first;
      }
      const failed = fails === 'all' ? await terminateUntil(all) : 1;
      await holder.query('ROLLBACK');
      const [leading, answers] = await all;
      expect(leading.status).toBe(503);
      expect(answers.map(({ status }) => status)).toEqual(
        answers.map(() => (fails === 'all' ? 503 : 200)),
      );
      expect(errorsLogged() - before).toBeLessThanOrEqual(failed + Number(fails === 'all'));
      expect(errorsLogged()).toBeGreaterThan(0);
    }
    expect((await askFor(call)).status).toBe(200);
  },
);

test.each([
  { who: 'running', before: 0 },
  { who: 'waiting', before: 1 },
])(
  'a client that disconnects while its read is $who does not abort the reads of other clients',
  async ({ before }) => {
    for (const call of [LIST, GRAPHQL]) {
      await askFor(call);
      await holder.query('BEGIN; LOCK TABLE pets');
      const first = askOften(call, before);
      if (before > 0) {
        await someWaiting();
      }
      const leaving = new AbortController();
      const left = fetch(url + call.split(' ')[1], {
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        signal: leaving.signal,
      });
      await Promise.all([someWaiting(), askFor(PROBE)]);
      const others = askOften(call, 9);
      await askFor(PROBE);
      leaving.abort();
      await expect(left).rejects.toThrow('aborted');
      await askFor(PROBE);
      await holder.query('ROLLBACK');
      const answers = (await Promise.all([first, others])).flat();
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    }
  },
);

test.each([1, 20])('%i different reads are answered before a slow read', async (times) => {
  await operator.query(`
    ALTER TABLE pets RENAME TO all_pets;
    CREATE FUNCTION shown(status pet_status) RETURNS boolean LANGUAGE plpgsql AS $$
      BEGIN
        IF status = 'sold' THEN PERFORM pg_advisory_xact_lock_shared(1); END IF;
        RETURN true;
      END $$;
    CREATE VIEW pets AS SELECT * FROM all_pets WHERE shown(status)`);
  onTestFinished(async () => {
    await holder.query('SELECT pg_advisory_unlock_all()');
    await operator.query(
      'DROP VIEW pets; DROP FUNCTION shown; ALTER TABLE all_pets RENAME TO pets',
    );
  });
  const calls = [
    LIST,
    `${LIST}&limit=1`,
    'GET /v1/pets/1',
    'GET /graphql?query={pets(status:available){name}}',
    'GET /graphql?query={petsConnection(status:pending){nodes{id}}}',
  ];
  await Promise.all([SOLD, ...calls].map(askFor));
  await holder.query('SELECT pg_advisory_lock(1)');
  const order: string[] = [];
  const slow = askFor(SOLD).finally(() => order.push('slow'));
  await someWaiting();
  const others = await Promise.all(
    Array.from({ length: times }, async (_, index) =>
      askFor(calls[index % calls.length] ?? LIST).finally(() => order.push('other')),
    ),
  );
  await holder.query('SELECT pg_advisory_unlock(1)');
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
  expect((await slow).text).toContain('Tom');
  expect(order).toEqual([...others.map(() => 'other'), 'slow']);
});
