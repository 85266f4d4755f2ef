import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { overdue, refusedSince } from '../support/answer-times.ts';
import { answeredAt, SUCCESS_STATUSES } from '../support/ask.ts';
import { embeddedPostgres } from '../support/embedded-postgres.ts';
import {
  ANSWER_TIMEOUT,
  formsOf,
  HEALTHY_ANSWERS,
  UNAVAILABLE_ANSWERS,
} from '../support/load-answers.ts';
import { startLoad, type Load } from '../support/load.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { firstKey, startPatientService, startService } from '../support/service.ts';
import { mountSmallDisk, type SmallDisk } from './support/small-disk.ts';

/** Room for PostgreSQL's programs, which root copies there, and for a new cluster with its log. */
const MEBIBYTES = 256;

/** A service whose own database is on a small disk, under load, until the test is over, whatever way it ends. */
async function startOnSmallDisk(start: typeof startService) {
  const stack = new AsyncDisposableStack();
  onTestFinished(() => stack.disposeAsync());
  const disk = stack.use(await mountSmallDisk(MEBIBYTES));
  const dataDirectory = join(disk.path, 'data');
  const service = stack.use(await start({ DATA_DIR: dataDirectory }));
  const postgres = await embeddedPostgres(dataDirectory);
  const load = stack.use(startLoad(service.url, await firstKey(service)));
  await load.allAnswered(SUCCESS_STATUSES);
  const fillUp = () => stack.use(keepFull(disk, postgres.url));
  const readiness = async () => (await fetch(`${service.url}/readyz`)).text();
  return { disk, postgres, load, fillUp, readiness };
}

test('on a full disk creates are 503 and reads go on; with room again all is well, and nothing lost or twice', async () => {
  const { disk, postgres, load, readiness } = await startOnSmallDisk(startPatientService);
  await using stalls = await measureStalls();
  expect(await readiness()).toBe('ready\n');
  await disk.fill();
  await noneAdded(load);
  const full = performance.now();
  await load.allAnswered([503], 'POST');
  await load.allAnswered(SUCCESS_STATUSES, 'GET');
  expect(await readiness()).toBe('not ready: the database rejects writes\n');
  await disk.makeRoom();
  const back = performance.now();
  await load.allAnswered(SUCCESS_STATUSES);
  await expect.poll(readiness).toBe('ready\n');
  await load.end();

  const { answers } = load;
  const creates503 = UNAVAILABLE_ANSWERS.filter((form) => form.startsWith('POST'));
  const readsHealthy = HEALTHY_ANSWERS.filter((form) => form.startsWith('GET'));
  const during = answers.filter((answer) => answer.asked > full && answeredAt(answer) < back);
  expect(formsOf(during)).toEqual([...readsHealthy, ...creates503]);
  expect(formsOf(answers)).toEqual([...HEALTHY_ANSWERS, ...creates503].toSorted());
  expect(await overdue(answers, stalls)).toEqual([]);
  const afterwards = answers.filter(({ asked }) => asked > back);
  expect(formsOf(afterwards)).toEqual(HEALTHY_ANSWERS);
  expect(await load.faultsIn(postgres.url)).toEqual([]);
});

test('a database that the full disk stops, because it cannot write its log, is back by itself once there is room', async () => {
  const { disk, postgres, load, fillUp } = await startOnSmallDisk(startService);
  await using stalls = await measureStalls();
  const filling = fillUp();
  await load.allAnswered([503]);
  await load.allAnswered([503]);
  await filling.end();
  await disk.makeRoom();
  await postgres.answers();
  const back = performance.now();
  await load.allAnswered(SUCCESS_STATUSES);
  await load.end();

  expect(await refusedSince(back, load.answers, stalls)).toEqual([]);
  expect(formsOf(load.answers)).toEqual([...HEALTHY_ANSWERS, ...UNAVAILABLE_ANSWERS].toSorted());
  expect(await overdue(load.answers, stalls)).toEqual([]);
  expect(await load.faultsIn(postgres.url)).toEqual([]);
});

/** Resolves once the pages that the tables and their indexes have had already are full, too. */
async function noneAdded({ answers, allAnswered }: Load): Promise<void> {
  let before: number;
  do {
    before = answers.length;
    await allAnswered([503], 'POST');
  } while (
    answers
      .slice(before)
      .some(({ call, status }) => call.startsWith('POST') && SUCCESS_STATUSES.includes(status))
  );
}

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
  const end = () => {
    ending.abort();
    return filling;
  };
  return { end, [Symbol.asyncDispose]: end };
}

/** Has the database begin one file of its log after the other, until it can't, and stops. */
async function useUpLog(databaseUrl: string, ended: AbortSignal): Promise<void> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: ANSWER_TIMEOUT,
    query_timeout: ANSWER_TIMEOUT,
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
