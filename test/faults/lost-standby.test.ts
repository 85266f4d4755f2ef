import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_POOL_SIZE } from '../../packages/gateway/src/config/config.ts';
import { overdue, refusedSince, withoutStandstill } from '../support/answer-times.ts';
import { ask, SUCCESS_STATUSES, type Answer } from '../support/ask.ts';
import { backendsOf, watchBackends } from '../support/backends.ts';
import { createDatabase } from '../support/database.ts';
import { startLoad } from '../support/load.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { startOutagePostgres } from '../support/outage-postgres.ts';
import { firstKey, startService } from '../support/service.ts';

/** Milliseconds in which a service that leaves its backends behind has made many. */
const STALL = 10_000;
const TEST_TIMEOUT = 60_000;

/** With the one that asks what has become of the others. */
const MOST_BACKENDS = DEFAULT_POOL_SIZE + 1;

const postgres = await startOutagePostgres();
const databaseUrl = await createDatabase(postgres.url);
await leaveOutWarnings();
const service = await startService({ DATABASE_URL: databaseUrl });
const key = await firstKey(service);
const stalls = await measureStalls();
const observer = new Client(databaseUrl);
const outsider = new Client(databaseUrl);
await Promise.all([observer.connect(), outsider.connect()]);
afterAll(async () => {
  await stalls[Symbol.asyncDispose]();
  await Promise.all([observer.end(), outsider.end()]);
  await service[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

/** Has sessions hear errors alone, unless they ask for more: that a commit was not confirmed is a warning. */
async function leaveOutWarnings(): Promise<void> {
  const client = new Client(databaseUrl);
  await client.connect();
  await client.query(
    `ALTER DATABASE ${new URL(databaseUrl).pathname.slice(1)} SET client_min_messages = error`,
  );
  await client.end();
}

/** With a name that no standby has, every commit waits for ever. */
async function setStandbys(names: string): Promise<void> {
  await outsider.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await outsider.query('SELECT pg_reload_conf()');
  await expect
    .poll(async () => {
      const shown = await outsider.query<{ names: string }>(
        "SELECT current_setting('synchronous_standby_names') AS names",
      );
      return shown.rows[0]?.names;
    })
    .toBe(names);
}

/** Resolves once a commit waits: PostgreSQL's checkpointer, which tells all others, may hear of the setting last. */
async function commitsWait(): Promise<void> {
  const { rows: own } = await outsider.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const cancel = `
    SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE pid = ${own[0]?.pid} AND wait_event = 'SyncRep'`;
  for (let waited = false; !waited;) {
    const over = new AbortController();
    const commit = outsider.query('CREATE TABLE waiting (); DROP TABLE waiting').finally(() => {
      over.abort();
    });
    while (!over.signal.aborted && !waited) {
      waited = (await observer.query(cancel)).rows.length > 0;
    }
    await commit;
  }
}

const standby = {
  lose: async () => {
    await setStandbys('*');
    await commitsWait();
  },
  regain: async () => {
    await setStandbys('');
    // Another process of PostgreSQL releases the waiting ones.
    await outsider.query('CREATE TABLE committed (); DROP TABLE committed');
  },
};

const frozen: number[] = [];
const backends = {
  freeze: async () => {
    for (const pid of await backendsOf(observer)) {
      process.kill(pid, 'SIGSTOP');
      frozen.push(pid);
    }
  },
  thaw: async () => {
    for (const pid of frozen.splice(0)) {
      process.kill(pid, 'SIGCONT');
    }
  },
};

/** Asks for the same as long as a stall lasts. */
async function askBeside(call: string, stall: AbortSignal): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (!stall.aborted) {
    answers.push(await ask(service.url, key, call));
    await setTimeout(20);
  }
  return answers;
}

test.each([
  {
    what: 'a lost standby keeps commits waiting',
    goAway: standby.lose,
    comeBack: standby.regain,
    creates: [503],
    reads: [200],
  },
  {
    what: 'statements wait for a lock',
    goAway: () => outsider.query('BEGIN; LOCK TABLE pets'),
    comeBack: () => outsider.query('COMMIT'),
    creates: [503],
    reads: [503],
  },
  {
    what: 'nothing of the server moves',
    goAway: postgres.freeze,
    comeBack: postgres.thaw,
    creates: [503],
    reads: [503],
  },
  {
    what: 'the backends that there are do not move',
    goAway: backends.freeze,
    comeBack: backends.thaw,
    // There may be room for others.
    creates: [201, 200, 503],
    reads: [200, 503],
  },
])(
  'a process has no more backends than it may while $what, and is well again within 2 s',
  { timeout: TEST_TIMEOUT },
  async ({ goAway, comeBack, creates, reads }) => {
    await outsider.query('DELETE FROM pets');
    await using load = startLoad(service.url, key, 16);
    await load.allAnswered(SUCCESS_STATUSES);
    await using watched = watchBackends(observer);
    onTestFinished(async () => {
      await comeBack();
    });
    await goAway();
    const away = performance.now();
    const stall = AbortSignal.timeout(STALL);
    const beside = await Promise.all([
      askBeside('GET /v1/pets?status=sold', stall),
      askBeside('GET /readyz', stall),
    ]);
    const stalled = load.answers.filter(({ asked }) => asked > away);
    await comeBack();
    const back = performance.now();
    await load.allAnswered(SUCCESS_STATUSES);
    await load.end();

    expect(watched.most()).toBeGreaterThan(3);
    expect(watched.most()).toBeLessThanOrEqual(MOST_BACKENDS);
    const posts = stalled.filter(({ call }) => call.startsWith('POST'));
    expect(posts.filter(({ status }) => !creates.includes(status))).toEqual([]);
    const others = beside.flat().filter(({ status }) => !reads.includes(status));
    expect(await withoutStandstill(others, stalls)).toEqual([]);
    expect(await overdue([...load.answers, ...beside.flat()], stalls)).toEqual([]);
    expect(await refusedSince(back, load.answers, stalls)).toEqual([]);
    expect(await load.faultsIn(databaseUrl)).toEqual([]);
  },
);

test('a create whose wait for the standby an operator cancels is not acknowledged', async () => {
  onTestFinished(standby.regain);
  await standby.lose();
  const name = 'cancelled';
  const answer = ask(service.url, key, 'POST /v1/pets', { name, categoryId: 1 });
  await expect
    .poll(async () => {
      const { rows } = await observer.query(
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
      );
      return rows.length;
    })
    .toBe(1);
  expect((await answer).status).toBe(503);
  const { rows } = await observer.query('SELECT name FROM pets WHERE name = $1', [name]);
  expect(rows).toEqual([{ name }]);
});

test.each(['PATCH', 'PATCH of a version', 'DELETE'])(
  'a %s under an Idempotency-Key is acknowledged to no retry before a standby has it',
  async (what) => {
    onTestFinished(standby.regain);
    const { text } = await ask(service.url, key, 'POST /v1/pets', { name: 'Rex', categoryId: 1 });
    const path = `/v1/pets/${/"id":(\d+)/.exec(text)?.[1]}`;
    const { etag } = await ask(service.url, key, `GET ${path}`);
    const [method = '', version] = what.split(' ');
    const headers = {
      'Content-Type': 'application/merge-patch+json',
      'Idempotency-Key': what.replaceAll(' ', '-'),
      ...(version && { 'If-Match': etag ?? '' }),
    };
    const body = method === 'PATCH' ? { status: 'sold' } : undefined;
    const send = () => ask(service.url, key, `${method} ${path}`, body, headers);
    await standby.lose();
    expect([(await send()).status, (await send()).status]).toEqual([503, 503]);
    await standby.regain();
    await expect.poll(async () => (await send()).isReplay).toBe(true);
  },
);
