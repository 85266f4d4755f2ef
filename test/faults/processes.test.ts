import { EMBEDDED } from '../support/store-database.ts';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { overdue, refusedSince } from '../support/answer-times.ts';
import { answeredAt, SUCCESS_STATUSES } from '../support/ask.ts';
import { openCluster, stopServer } from '../../packages/local/src/embedded/server.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { embeddedPostgres } from '../support/embedded-postgres.ts';
import { formsOf, HEALTHY_ANSWERS, UNAVAILABLE_ANSWERS } from '../support/load-answers.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { startLoad } from '../support/load.ts';
import { firstKey, startService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const KILLS = 2;

const ownDirectory = await temporaryDirectory();
const stalls = await measureStalls();
afterAll(async () => {
  await stalls[Symbol.asyncDispose]();
  await ownDirectory[Symbol.asyncDispose]();
});
const newDataDirectory = () => join(ownDirectory.path, randomUUID());

interface Killed {
  readonly env: NodeJS.ProcessEnv;
  readonly databaseUrl: () => Promise<string>;
  readonly killMore?: () => Promise<void>;
  /** Stops the database that a gateway which is killed leaves behind. */
  readonly stopDatabase?: () => Promise<void>;
}

async function onPostgres(): Promise<Killed> {
  const url = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  return { env: { DATABASE_URL: url }, databaseUrl: async () => url };
}

async function onOwnDatabase(): Promise<Killed> {
  const dataDirectory = newDataDirectory();
  return {
    env: { DATA_DIR: dataDirectory },
    databaseUrl: async () => (await embeddedPostgres(dataDirectory)).url,
    stopDatabase: async () => stopServer(await openCluster(dataDirectory, EMBEDDED)),
  };
}

async function withOwnDatabase(): Promise<Killed> {
  const killed = await onOwnDatabase();
  const dataDirectory = killed.env['DATA_DIR'] ?? '';
  return { ...killed, killMore: async () => (await embeddedPostgres(dataDirectory)).crash() };
}

test.each([
  { what: 'that has a PostgreSQL', start: onPostgres },
  { what: 'whose own database outlives it', start: onOwnDatabase },
  { what: 'whose own database is killed with it', start: withOwnDatabase },
])(
  'a gateway $what, killed and started again under load, has lost nothing and made nothing twice',
  async ({ start }) => {
    const { env, databaseUrl, killMore, stopDatabase } = await start();
    await using ending = new AsyncDisposableStack();
    ending.defer(async () => stopDatabase?.());
    let service = await startService(env);
    ending.defer(() => service[Symbol.asyncDispose]());
    const load = ending.use(startLoad(() => service.url, await firstKey(service)));
    const absences: { readonly from: number; readonly to: number }[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      await load.allAnswered(SUCCESS_STATUSES);
      const from = performance.now();
      service.child.kill('SIGKILL');
      await killMore?.();
      await service.child.exit;
      service = await startService(env);
      absences.push({ from, to: performance.now() });
    }
    const back = performance.now();
    await load.allAnswered(SUCCESS_STATUSES);
    await load.end();

    const afterwards = load.answers.filter(({ asked, status }) => asked > back && status !== 503);
    expect(formsOf(afterwards)).toEqual(HEALTHY_ANSWERS);
    expect(await refusedSince(back, load.answers, stalls)).toEqual([]);
    // Nobody can answer for a process that is gone; whatever else was asked is answered, wholly and in time.
    const answered = load.answers.filter(
      (answer) =>
        answer.status !== 0 ||
        !absences.some(({ from, to }) => answeredAt(answer) > from && answer.asked < to),
    );
    expect([...HEALTHY_ANSWERS, ...UNAVAILABLE_ANSWERS]).toEqual(
      expect.arrayContaining(formsOf(answered)),
    );
    expect(await overdue(answered, stalls)).toEqual([]);
    expect(await load.faultsIn(await databaseUrl())).toEqual([]);
  },
);

test('a service whose own database is killed starts it again, and is back within 2 s of it', async () => {
  const dataDirectory = newDataDirectory();
  await using service = await startService({ DATA_DIR: dataDirectory });
  const postgres = await embeddedPostgres(dataDirectory);
  await using load = startLoad(service.url, await firstKey(service));
  for (let kill = 0; kill < KILLS; kill += 1) {
    await load.allAnswered(SUCCESS_STATUSES);
    await postgres.crash();
    await postgres.answers();
    const back = performance.now();
    await load.allAnswered(SUCCESS_STATUSES);
    expect(await refusedSince(back, load.answers, stalls)).toEqual([]);
  }
  await load.end();
  const forms = formsOf(load.answers);
  // Whether any is refused depends on how soon it is back.
  expect([...HEALTHY_ANSWERS, ...UNAVAILABLE_ANSWERS]).toEqual(expect.arrayContaining(forms));
  expect(forms).toEqual(expect.arrayContaining([...HEALTHY_ANSWERS]));
  expect(await overdue(load.answers, stalls)).toEqual([]);
  expect(await load.faultsIn(postgres.url)).toEqual([]);
});
