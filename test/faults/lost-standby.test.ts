import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_POOL_SIZE } from '../../packages/gateway/src/config/config.ts';
import { withoutStandstill } from '../support/load-answers.ts';
import { ask, type Answer } from '../support/ask.ts';
import { keptForFile, onFileFinished } from '../support/clean-up.ts';
import { connectClient } from '../support/connect-client.ts';
import { createDatabase } from '../support/database.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { backendsOf, watchBackends, startOutagePostgres } from '../support/embedded-postgres.ts';
import { firstKey, startService } from '../support/service.ts';
import { surviveOutage } from './support/outage.ts';

/** Milliseconds in which a service that abandons its backends would open many new ones. */
const STALL = 10_000;

/** Includes the connection that checks whether abandoned backends have ended. */
const MOST_BACKENDS = DEFAULT_POOL_SIZE + 1;

const postgres = keptForFile(await startOutagePostgres());
const databaseUrl = await createDatabase(postgres.url);
const observer = await connectClient(databaseUrl, onFileFinished);
const outsider = await connectClient(databaseUrl, onFileFinished);
// By default, sessions receive only errors, but PostgreSQL reports an unconfirmed commit as a warning.
await outsider.query(
  `ALTER DATABASE ${new URL(databaseUrl).pathname.slice(1)} SET client_min_messages = error`,
);
const service = await startService({ DATABASE_URL: databaseUrl });
const key = await firstKey(service);
const stalls = keptForFile(await measureStalls());

/** Sets the synchronous standbys. If no standby has the name, every commit waits indefinitely. */
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

/** Resolves when commits wait. PostgreSQL's checkpointer, which notifies the other processes, may read the setting last. */
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

async function loseStandby() {
  await setStandbys('*');
  await commitsWait();
}

async function regainStandby() {
  await setStandbys('');
  // A different PostgreSQL process releases the waiting commits.
  await outsider.query('CREATE TABLE committed (); DROP TABLE committed');
}

/** Repeats a request while a stall lasts. */
async function askBeside(call: string, stall: AbortSignal): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (!stall.aborted) {
    answers.push(await ask(service.url, key, call));
    await setTimeout(20);
  }
  return answers;
}

test.each<{
  readonly what: string;
  readonly begin: () => Promise<() => unknown>;
  readonly creates: readonly number[];
  readonly reads: readonly number[];
}>([
  {
    what: 'commits wait for a lost standby',
    begin: async () => {
      await loseStandby();
      return regainStandby;
    },
    creates: [503],
    reads: [200],
  },
  {
    what: 'statements wait for a lock',
    begin: async () => {
      await outsider.query('BEGIN; LOCK TABLE pets');
      return () => outsider.query('COMMIT');
    },
    creates: [503],
    reads: [503],
  },
  {
    what: 'the server is frozen',
    begin: async () => {
      await postgres.freeze();
      return postgres.thaw;
    },
    creates: [503],
    reads: [503],
  },
  {
    what: 'its backends are frozen',
    begin: async () => {
      const frozen = await backendsOf(observer);
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
      return () => {
        for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT');
      };
    },
    // The pool may have room for more backends.
    creates: [201, 200, 503],
    reads: [200, 503],
  },
])(
  'a process has no more backends than its limit while $what, and recovers within 2 s',
  async ({ begin, creates, reads }) => {
    await outsider.query('DELETE FROM pets');
    await using watched = watchBackends(observer);
    const { during, others } = await surviveOutage({
      url: service.url,
      key,
      databaseUrl,
      callers: 16,
      begin,
      meanwhile: async () => {
        const stall = AbortSignal.timeout(STALL);
        const calls = ['GET /v1/pets?status=sold', 'GET /readyz'];
        return (await Promise.all(calls.map((call) => askBeside(call, stall)))).flat();
      },
    });
    expect(watched.most()).toBeGreaterThan(3);
    expect(watched.most()).toBeLessThanOrEqual(MOST_BACKENDS);
    const posts = during.filter(({ call }) => call.startsWith('POST'));
    expect(posts.filter(({ status }) => !creates.includes(status))).toEqual([]);
    const unexpected = others.filter(({ status }) => !reads.includes(status));
    expect(await withoutStandstill(unexpected, stalls)).toEqual([]);
  },
  60_000,
);

test('a create is not acknowledged if an operator cancels its wait for the standby', async () => {
  onTestFinished(regainStandby);
  await loseStandby();
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

test.each(['PATCH', 'PATCH with If-Match', 'DELETE'])(
  'a retried %s with an Idempotency-Key is not acknowledged before a standby has the write',
  async (what) => {
    onTestFinished(regainStandby);
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
    await loseStandby();
    expect([(await send()).status, (await send()).status]).toEqual([503, 503]);
    await regainStandby();
    await expect.poll(async () => (await send()).isReplay).toBe(true);
  },
);
