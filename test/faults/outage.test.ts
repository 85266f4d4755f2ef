import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ask, type Answer } from '../support/ask.ts';
import { keptForFile } from '../support/clean-up.ts';
import {
  withoutStandstill,
  overdue,
  formsOf,
  GRAPHQL_503,
  HEALTHY_ANSWERS,
  REST_503,
  UNAVAILABLE_ANSWERS,
} from '../support/load-answers.ts';
import { connectClient } from '../support/connect-client.ts';
import { createDatabase } from '../support/database.ts';
import { createKey } from '../support/keys.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { startOutagePostgres } from '../support/embedded-postgres.ts';
import { firstKey, startService, type Service } from '../support/service.ts';
import { generateApiKey, openDatabase } from '../support/store-database.ts';
import { surviveOutage } from './support/outage.ts';

const postgres = keptForFile(await startOutagePostgres());
const stalls = keptForFile(await measureStalls());

/** Several callers for each connection of a pool. */
const CALLERS = 40;
/** Milliseconds between requests: ten blocked connections cannot serve requests at this rate. */
const MOMENT = 10;
const CROWD = 'moment-';

/** Creates animals at intervals, because creates at the same moment would share a statement. */
async function createAtManyMoments({ url }: Service, key: string, count: number) {
  const asked: Promise<Answer>[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = `${CROWD}${index}`;
    const headers = index % 2 === 0 ? {} : { 'Idempotency-Key': name };
    asked.push(ask(url, key, 'POST /v1/pets', { name, categoryId: 1 }, headers));
    await setTimeout(MOMENT);
  }
  return Promise.all(asked);
}

async function lock(url: string, tables: string) {
  const outsider = await connectClient(url);
  await outsider.query(`BEGIN; LOCK TABLE ${tables}`);
  return () => outsider.query('COMMIT');
}

const READY = 'GET /readyz';
const NOT_READY = `${READY} 503 1 not ready: the database cannot be used\n`;
/** Requests with an API key that is not cached, and their responses when the database cannot be read. */
const UNKNOWN = {
  'GET /v1/pets': `GET /v1/pets ${REST_503}`,
  'GET /graphql?query={pets{id}}': `GET /graphql?query={pets{id}} ${GRAPHQL_503}`,
};

test.each<{
  readonly what: string;
  readonly begin: (url: string) => Promise<() => unknown>;
  /** Responses to other requests. */
  readonly others: Readonly<Record<string, string>>;
}>([
  {
    what: 'the database has crashed',
    begin: async () => {
      await postgres.crash();
      return postgres.start;
    },
    others: { ...UNKNOWN, [READY]: NOT_READY },
  },
  {
    what: 'the database is frozen',
    begin: async () => {
      await postgres.freeze();
      return postgres.thaw;
    },
    others: { ...UNKNOWN, [READY]: NOT_READY },
  },
  {
    what: 'statements on animals and API keys wait for a lock',
    begin: (url) => lock(url, 'pets, _gateway_api_keys'),
    others: UNKNOWN,
  },
  {
    what: 'the database has closed all connections and rejects new ones',
    begin: async (url) => {
      const name = new URL(url).pathname.slice(1);
      const operator = await connectClient(postgres.url);
      await operator.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await operator.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
      );
      return () => operator.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    },
    others: UNKNOWN,
  },
])(
  'while $what, requests get 503 within 2 s; 2 s afterwards, they succeed and no animal is lost or duplicated',
  async ({ begin, others: expected }) => {
    const databaseUrl = await createDatabase(postgres.url);
    await using service = await startService({ DATABASE_URL: databaseUrl });
    const { url } = service;
    const key = await firstKey(service);
    const { answers, others } = await surviveOutage({
      url,
      key,
      databaseUrl,
      callers: CALLERS,
      begin: () => begin(databaseUrl),
      meanwhile: async (load) => {
        await load.allAnswered([503]);
        const asked = Object.keys(expected).map((call) => ask(url, generateApiKey(), call));
        expect(formsOf(await Promise.all(asked))).toEqual(Object.values(expected).toSorted());
        expect(await (await fetch(`${url}/livez`)).text()).toBe('alive\n');
        return [...(await Promise.all(asked)), ...(await createAtManyMoments(service, key, 250))];
      },
      // Some animals may be created after the 503 response, and then appear in lists.
      isOthers: (name) => name.startsWith(CROWD),
    });
    expect(formsOf(answers)).toEqual([...HEALTHY_ANSWERS, ...UNAVAILABLE_ANSWERS].toSorted());
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([503]));
    await expect.poll(async () => (await fetch(`${url}/readyz`)).text()).toBe('ready\n');
  },
  120_000,
);

test('API keys are read immediately while many requests wait for animals', async () => {
  const databaseUrl = await createDatabase(postgres.url);
  await using service = await startService({ DATABASE_URL: databaseUrl });
  const key = await firstKey(service);
  const database = openDatabase(databaseUrl);
  const keys = await Promise.all(Array.from({ length: 20 }, () => createKey(database)));
  await database.$disconnect();
  const unlock = await lock(databaseUrl, 'pets');
  onTestFinished(async () => void (await unlock()));
  const crowd = createAtManyMoments(service, key, 150);
  const callers: Answer[] = [];
  for (const { key: own } of keys) {
    // This query reads only the API key from the database.
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
