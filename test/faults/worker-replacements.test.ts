import { expect, test } from 'vitest';
import { SUCCESS_STATUSES } from '../support/ask.ts';
import { newDatabase } from '../support/new-database.ts';
import { startLoad } from '../support/load.ts';
import { messagesOf, firstKey, startPatientService } from '../support/service.ts';

const WORKERS = 4;
const REPLACEMENTS = 100;

test(`no request fails while ${REPLACEMENTS} workers are replaced under load`, async () => {
  const databaseUrl = await newDatabase();
  await using service = await startPatientService({
    WORKERS: String(WORKERS),
    DATABASE_URL: databaseUrl,
    RATE_LIMIT: 'off',
  });
  await using load = startLoad(service.url, await firstKey(service), 12);
  const rounds = () =>
    messagesOf(service).filter((message) => message === 'the workers have been replaced').length;
  for (let round = 1; round <= REPLACEMENTS / WORKERS; round += 1) {
    service.child.kill('SIGHUP');
    await expect.poll(rounds, { interval: 200, timeout: 120_000 }).toBe(round);
  }
  await load.allAnswered(SUCCESS_STATUSES);
  await load.end();
  expect(load.answers.filter(({ status }) => !SUCCESS_STATUSES.includes(status))).toEqual([]);
  expect(await load.faultsIn(databaseUrl)).toEqual([]);
  expect(messagesOf(service).filter((message) => message.startsWith('a worker'))).toEqual([]);
}, 1_200_000);
