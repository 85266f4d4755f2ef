import { join } from 'node:path';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { embeddedPostgres } from '../support/embedded-postgres.ts';
import { AWAY, formsOf, PATIENCE, slowestOf, WELL } from '../support/load-answers.ts';
import { GOOD, startLoad } from '../support/load.ts';
import { firstKey, startService } from '../support/service.ts';
import { mountSmallDisk, type SmallDisk } from './support/small-disk.ts';

/** Room for PostgreSQL's programs, which root copies there, and for a new cluster with its log. */
const MEBIBYTES = 256;

/** A service whose own database is on a small disk, under load; disposing of it ends all of it. */
async function startOnSmallDisk() {
  await using stack = new AsyncDisposableStack();
  const disk = stack.use(await mountSmallDisk(MEBIBYTES));
  const dataDirectory = join(disk.path, 'data');
  const service = stack.use(await startService({ DATA_DIR: dataDirectory }));
  const postgres = await embeddedPostgres(dataDirectory);
  const load = stack.use(startLoad(service.url, await firstKey(service)));
  await load.allAnswered(GOOD);
  const started = stack.move();
  return { disk, postgres, load, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

test('on a full disk creates are 503 and reads go on; with room again all is well, and nothing lost or twice', async () => {
  await using store = await startOnSmallDisk();
  const { disk, postgres, load } = store;
  await disk.fill();
  // Once the pages that the tables and their indexes have already are full, too.
  await load.allAnswered([503], 'POST');
  const full = performance.now();
  await load.allAnswered([503], 'POST');
  await load.allAnswered(GOOD, 'GET');
  await disk.makeRoom();
  const back = performance.now();
  await load.allAnswered(GOOD);
  await load.end();

  const { answers } = load;
  const creates503 = AWAY.filter((form) => form.startsWith('POST'));
  expect(formsOf(answers)).toEqual([...WELL, ...creates503].toSorted());
  expect(answers.filter(({ asked }) => asked > full && asked < back).length).toBeGreaterThan(0);
  expect(slowestOf(answers)).toBeLessThan(PATIENCE);
  const afterwards = answers.filter(({ asked }) => asked > back);
  expect(formsOf(afterwards)).toEqual(WELL);
  expect(await load.faultsIn(postgres.url)).toEqual([]);
});

test('a database that the full disk stops, because it cannot write its log, is back by itself once there is room', async () => {
  await using store = await startOnSmallDisk();
  const { disk, postgres, load } = store;
  const wholly = keepFull(disk, postgres.url);
  await load.allAnswered([503]);
  await load.allAnswered([503]);
  await wholly.end();
  await disk.makeRoom();
  await postgres.answers();
  const back = performance.now();
  await load.allAnswered(GOOD);
  expect(performance.now() - back).toBeLessThan(PATIENCE);
  await load.end();

  expect(formsOf(load.answers)).toEqual([...WELL, ...AWAY].toSorted());
  expect(slowestOf(load.answers)).toBeLessThan(PATIENCE);
  expect(await load.faultsIn(postgres.url)).toEqual([]);
});

/**
 * Keeps a disk full, also of files of the database's log: one that has stopped over that gives some of them up
 * when it comes back.
 */
function keepFull(disk: SmallDisk, databaseUrl: string) {
  const ending = new AbortController();
  const filling = (async () => {
    while (!ending.signal.aborted) {
      await disk.fill();
      await useUpLog(databaseUrl, ending.signal).catch(() => undefined);
    }
  })();
  return {
    end: () => {
      ending.abort();
      return filling;
    },
  };
}

/** Has the database begin one file of its log after the other, until it can't, and stops. */
async function useUpLog(databaseUrl: string, ended: AbortSignal): Promise<void> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: PATIENCE,
    query_timeout: PATIENCE,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    while (!ended.aborted) {
      await client.query('SELECT pg_switch_wal(), pg_current_xact_id()');
    }
  } finally {
    await client.end();
  }
}
