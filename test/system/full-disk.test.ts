import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { answeredAt, SUCCESS_STATUSES } from '../support/ask.ts';
import { embeddedPostgres } from '../support/embedded-postgres.ts';
import {
  overdue,
  ANSWER_TIMEOUT,
  formsOf,
  HEALTHY_ANSWERS,
  UNAVAILABLE_ANSWERS,
} from '../support/load-answers.ts';
import { startLoad, type Load } from '../support/load.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { firstKey, startPatientService, startService } from '../support/service.ts';
import { surviveOutage } from '../faults/support/outage.ts';
import { mountSmallDisk, type SmallDisk } from './support/small-disk.ts';

/** Room for PostgreSQL's programs, which are copied there when run as root, and for a new cluster with its write-ahead log. */
const MEBIBYTES = 256;

/** Starts a service whose embedded database is on a small disk, until the test is over. */
async function startOnSmallDisk(start: typeof startService) {
  const stack = new AsyncDisposableStack();
  onTestFinished(() => stack.disposeAsync());
  const disk = stack.use(await mountSmallDisk(MEBIBYTES));
  const dataDirectory = join(disk.path, 'data');
  const service = stack.use(await start({ DATA_DIR: dataDirectory }));
  const postgres = await embeddedPostgres(dataDirectory);
  return { disk, postgres, url: service.url, key: await firstKey(service) };
}

test('on a full disk, creates return 503 and reads succeed until there is room again; no animal is lost or doubled', async () => {
  const { disk, postgres, url, key } = await startOnSmallDisk(startPatientService);
  await using stalls = await measureStalls();
  await using load = startLoad(url, key);
  await load.allAnswered(SUCCESS_STATUSES);
  const readiness = async () => (await fetch(`${url}/readyz`)).text();
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

test('a database that stops because it cannot write its log recovers when the disk has room again', async () => {
  const { disk, postgres, url, key } = await startOnSmallDisk(startService);
  const { answers } = await surviveOutage({
    url,
    key,
    databaseUrl: postgres.url,
    begin: async () => {
      const filling = keepFull(disk, postgres.url);
      return async () => {
        await filling.end();
        await disk.makeRoom();
        await postgres.answers();
      };
    },
    meanwhile: async (load) => {
      await load.allAnswered([503]);
      await load.allAnswered([503]);
      return [];
    },
  });
  expect(formsOf(answers)).toEqual([...HEALTHY_ANSWERS, ...UNAVAILABLE_ANSWERS].toSorted());
});

/** Waits until the existing pages of the tables and their indexes are full, too. */
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

/** Keeps a disk full by also occupying write-ahead log files, because a database that restarts removes some of them. */
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

/** Switches the database to one log file after another until it cannot create the next one and stops. */
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
