import { expect, inject, test } from 'vitest';
import { exchangeToJson } from './fuzz/exchange.ts';
import { describeRound } from './fuzz/progress.ts';
import { runFuzz } from './fuzz/run.ts';
import { createDatabase, TEMPLATE } from './support/database.ts';

const SEED = 20_301_205;
const SECONDS = 22;

test(`hostile input, by seed ${SEED}, finds no fault, and an honest client gets its answers`, async () => {
  const rounds: string[] = [];
  const { exchanges, finding, faults } = await runFuzz({
    databaseUrl: await createDatabase(inject('postgresUrl'), { template: TEMPLATE }),
    seed: SEED,
    seconds: SECONDS,
    signal: new AbortController().signal,
    onRound: (round, inside) => {
      rounds.push(describeRound(round, inside));
    },
  });
  expect({
    faults,
    finding: finding && [finding.number, finding.faults, exchangeToJson(finding.exchange)],
  }).toEqual({ faults: [], finding: undefined });
  // That there was an attack, and one that got through to everything.
  expect(exchanges).toBeGreaterThan(500);
  for (const status of [200, 201, 400, 401, 404, 405, 413, 415]) {
    expect(rounds.join()).toMatch(new RegExp(`\\b${status}: \\d`));
  }
}, 90_000);
