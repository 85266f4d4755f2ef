import { randomInt } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { keepCase } from './keep-case.ts';
import { describeRound } from './progress.ts';
import { runFuzz } from './run.ts';

/** Another one each time, and told: `npm run fuzz -- --seed` does the same again. */
const SEED = randomInt(2 ** 32);
// oxlint-disable-next-line node/no-process-env -- fewer for .ci/run
const { FUZZ_EXCHANGES = '6000' } = process.env;
const EXCHANGES = Number(FUZZ_EXCHANGES);

test(`${EXCHANGES} hostile exchanges, by the new seed ${SEED}, find no fault, and an honest client gets its answers`, async ({
  signal,
  onTestFinished,
}) => {
  process.stderr.write(`fuzz: seed ${SEED}\n`);
  const rounds: string[] = [];
  const run = runFuzz({
    databaseUrl: await createDatabase(inject('postgresUrl'), { template: TEMPLATE }),
    seed: SEED,
    exchanges: EXCHANGES,
    signal,
    onRound: (...round) => {
      rounds.push(describeRound(...round));
    },
  });
  // Also if the test is given up before: the service is to have ended.
  onTestFinished(async () => {
    await run.catch(() => undefined);
  });
  const { exchanges, finding, faults } = await run;
  expect({
    faults,
    finding: finding && [finding.number, finding.faults, await keepCase(SEED, finding)],
  }).toEqual({ faults: [], finding: undefined });
  expect(exchanges).toBe(EXCHANGES);
  // That the attack got through to everything: what is rarer is probed for (probes.ts).
  for (const status of [200, 201, 400, 401, 404, 405]) {
    expect(rounds.join()).toMatch(new RegExp(`\\b${status}: \\d`));
  }
}, 900_000);
