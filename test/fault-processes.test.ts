import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { createDatabase, TEMPLATE } from './support/database.ts';
import { embeddedPostgres } from './support/embedded-postgres.ts';
import { AWAY, formsOf, PATIENCE, slowestOf, WELL } from './support/load-answers.ts';
import { GOOD, startLoad } from './support/load.ts';
import { firstKey, startService } from './support/service.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const KILLS = 2;

const ownDirectory = await temporaryDirectory();
afterAll(() => ownDirectory[Symbol.asyncDispose]());
const newDataDirectory = () => join(ownDirectory.path, randomUUID());

interface Killed {
  readonly env: NodeJS.ProcessEnv;
  readonly databaseUrl: () => Promise<string>;
  readonly killMore?: () => Promise<void>;
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
    const { env, databaseUrl, killMore } = await start();
    let service = await startService(env);
    const load = startLoad(() => service.url, await firstKey(service));
    await using ending = new AsyncDisposableStack();
    ending.defer(() => service[Symbol.asyncDispose]());
    ending.use(load);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await load.allAnswered(GOOD);
      service.child.kill('SIGKILL');
      await killMore?.();
      await service.child.exit;
      service = await startService(env);
    }
    const back = performance.now();
    await load.allAnswered(GOOD);
    await load.end();

    const afterwards = load.answers.filter(({ asked }) => asked > back);
    expect(formsOf(afterwards)).toEqual(WELL);
    // Nobody can answer for a process that is gone; whatever was answered is whole, and in time.
    const answered = load.answers.filter(({ status }) => status !== 0);
    expect([...WELL, ...AWAY]).toEqual(expect.arrayContaining(formsOf(answered)));
    expect(slowestOf(answered)).toBeLessThan(PATIENCE);
    expect(await load.faultsIn(await databaseUrl())).toEqual([]);
  },
);

test('a service whose own database is killed starts it again, and is back within 2 s of it', async () => {
  const dataDirectory = newDataDirectory();
  await using service = await startService({ DATA_DIR: dataDirectory });
  const postgres = await embeddedPostgres(dataDirectory);
  await using load = startLoad(service.url, await firstKey(service));
  for (let kill = 0; kill < KILLS; kill += 1) {
    await load.allAnswered(GOOD);
    await postgres.crash();
    await load.answered(503);
    await postgres.answers();
    const back = performance.now();
    await load.allAnswered(GOOD);
    expect(performance.now() - back).toBeLessThan(PATIENCE);
  }
  await load.end();
  expect(formsOf(load.answers)).toEqual([...WELL, ...AWAY].toSorted());
  expect(slowestOf(load.answers)).toBeLessThan(PATIENCE);
  expect(await load.faultsIn(postgres.url)).toEqual([]);
});
