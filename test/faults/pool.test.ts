import { openDatabase } from '../support/store-database.ts';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { overdue, refusedSince, withoutStandstill } from '../support/answer-times.ts';
import { ask, SUCCESS_STATUSES, type Answer } from '../support/ask.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { formsOf, HEALTHY_ANSWERS, UNAVAILABLE_ANSWERS } from '../support/load-answers.ts';
import { startLoad } from '../support/load.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { firstKey, startService } from '../support/service.ts';

/** Milliseconds between two requests that a pool of ten connections has no time for all of. */
const MOMENT = 10;

/** Milliseconds for many callers to be refused seven times each, after almost 2 s. */
const OUTAGE_TIMEOUT = 60_000;

/** How the names of animals begin that are added at moments of their own. */
const CROWD = 'moment-';

/** Callers: several for each connection of a pool. */
const MANY = 40;

const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const service = await startService({ DATABASE_URL: databaseUrl });
const key = await firstKey(service);
const stalls = await measureStalls();
const outsider = new Client(databaseUrl);
await outsider.connect();
// It is not to be cut off with the service.
const maintenance = new Client(inject('postgresUrl'));
await maintenance.connect();
afterAll(async () => {
  await stalls[Symbol.asyncDispose]();
  await Promise.all([outsider.end(), maintenance.end()]);
  await service[Symbol.asyncDispose]();
});

const databaseName = new URL(databaseUrl).pathname.slice(1);

/** Adds so many animals, each at a moment of its own, since those of the same moment share a statement. */
async function addAtManyMoments(count: number): Promise<Answer[]> {
  const asked: Promise<Answer>[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = `${CROWD}${index}`;
    const headers = index % 2 === 0 ? {} : { 'Idempotency-Key': name };
    asked.push(ask(service.url, key, 'POST /v1/pets', { name, categoryId: 1 }, headers));
    await setTimeout(MOMENT);
  }
  return Promise.all(asked);
}

const isOfCrowd = (name: string) => name.startsWith(CROWD);

test.each([
  {
    what: 'every statement of animals waits for a lock',
    goAway: () => outsider.query('BEGIN; LOCK TABLE pets'),
    comeBack: () => outsider.query('COMMIT'),
  },
  {
    what: 'every statement, of keys too, waits for a lock',
    goAway: () => outsider.query('BEGIN; LOCK TABLE pets, _gateway_api_keys'),
    comeBack: () => outsider.query('COMMIT'),
  },
  {
    what: 'the database ends all connections and takes no more',
    goAway: async () => {
      await maintenance.query(`ALTER DATABASE ${databaseName} ALLOW_CONNECTIONS false`);
      await maintenance.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${databaseName}' AND pid <> ${
          (await outsider.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid
        }`,
      );
    },
    comeBack: () => maintenance.query(`ALTER DATABASE ${databaseName} ALLOW_CONNECTIONS true`),
  },
])(
  'as long as $what all is 503 within 2 s, and within 2 s well again',
  { timeout: OUTAGE_TIMEOUT },
  async ({ goAway, comeBack }) => {
    await outsider.query('DELETE FROM pets');
    await using load = startLoad(service.url, key, MANY);
    await load.allAnswered(SUCCESS_STATUSES);
    onTestFinished(async () => {
      await comeBack();
    });
    await goAway();
    await load.allAnswered([503]);
    const crowd = await addAtManyMoments(250);
    await comeBack();
    const back = performance.now();
    await load.allAnswered(SUCCESS_STATUSES);
    await load.end();

    expect(formsOf(load.answers)).toEqual([...HEALTHY_ANSWERS, ...UNAVAILABLE_ANSWERS].toSorted());
    expect(new Set(crowd.map(({ status }) => status))).toEqual(new Set([503]));
    expect(await overdue([...load.answers, ...crowd], stalls)).toEqual([]);
    expect(await refusedSince(back, load.answers, stalls)).toEqual([]);
    // Some of the crowd's may have been added after their refusal, and lists tell of those.
    expect(await load.faultsIn(databaseUrl, isOfCrowd)).toEqual([]);
  },
);

test('a key is read at once, however long animals wait: nobody waits for one connection after the other', async () => {
  const database = openDatabase(databaseUrl);
  const keys = await Promise.all(Array.from({ length: 20 }, () => createKey(database)));
  await database.$disconnect();
  onTestFinished(async () => {
    await outsider.query('COMMIT');
  });
  await outsider.query('BEGIN; LOCK TABLE pets');
  const crowd = addAtManyMoments(150);
  const callers: Answer[] = [];
  for (const { key: own } of keys) {
    // It takes no more of the database than the key.
    callers.push(await ask(service.url, own, 'GET /graphql?query={__typename}'));
    await setTimeout(50);
  }
  const refused = await crowd;
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
  const failed = callers.filter(({ status }) => status !== 200);
  expect(await withoutStandstill(failed, stalls)).toEqual([]);
  const soonest = Math.min(...refused.map(({ milliseconds }) => milliseconds));
  expect(await overdue(callers, stalls, soonest)).toEqual([]);
});
