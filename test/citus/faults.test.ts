import { afterAll, expect, test } from 'vitest';
import { figuresOf } from './support/fault-figures.ts';
import { runRound, type Outcome } from './support/fault-round.ts';
import { DISTRIBUTION, FAULTS } from './support/node-faults.ts';
import { startUndistributed } from './support/own-cluster.ts';
import { startShardedStore } from './support/sharded-store.ts';

// oxlint-disable-next-line node/no-process-env -- how often a longer run has all of them
const { ROUNDS } = process.env;

const cluster = await startUndistributed();
afterAll(() => cluster[Symbol.asyncDispose]());
const store = await startShardedStore(cluster);
const outcomes: Outcome[] = [];
afterAll(() => {
  process.stdout.write(`\n${figuresOf(outcomes)}\n\n`);
});

const rounds =
  ROUNDS === undefined
    ? FAULTS.filter(({ isLikeAnother = false }) => !isLikeAnother)
    : Array.from({ length: Number(ROUNDS) }, () => FAULTS).flat();

test.each([DISTRIBUTION, ...rounds])(
  'nothing is lost, doubled or answered wrongly when $what',
  async (fault) => {
    const outcome = await runRound(store, fault);
    outcomes.push(outcome);
    expect(outcome.checks).toBeGreaterThan(outcome.acknowledged);
    const { lost, wrong, gaps } = outcome;
    expect({ lost, wrong, gaps }).toEqual({ lost: [], wrong: [], gaps: [] });
  },
  180_000,
);
