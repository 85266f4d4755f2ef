import { expect, inject, test } from 'vitest';
import { exchangeToJson } from './exchange-json.ts';
import { describeRound } from './progress.ts';
import { runFuzz } from './run.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';

const SEED = 20_301_205;
const SECONDS = 22;

test(`hostile input, by seed ${SEED}, finds no fault, and an honest client gets its answers`, async ({
  signal,
  onTestFinished,
}) => {
  const rounds: string[] = [];
  const run = runFuzz({
    databaseUrl: await createDatabase(inject('postgresUrl'), { template: TEMPLATE }),
    seed: SEED,
    seconds: SECONDS,
    signal,
    onRound: (round, statistics) => {
      rounds.push(describeRound(round, statistics));
    },
  });
  // Also if the time of the test is over before: the service is to have ended.
  onTestFinished(async () => {
    await run.catch(() => undefined);
  });
  const { exchanges, finding, faults } = await run;
  expect({
    faults,
    finding: finding && [finding.number, finding.faults, exchangeToJson(finding.exchange)],
  }).toEqual({ faults: [], finding: undefined });
  // That there was an attack, and one that got through to everything: what is rarer is probed for (fuzz/probes.ts).
  expect(exchanges).toBeGreaterThan(500);
  for (const status of [200, 201, 400, 401, 404, 405]) {
    expect(rounds.join()).toMatch(new RegExp(`\\b${status}: \\d`));
  }
}, 90_000);
