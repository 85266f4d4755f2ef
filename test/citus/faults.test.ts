import { afterAll, expect, test } from 'vitest';
import { figuresOf, runRound, type Outcome } from './support/fault-round.ts';
import { DISTRIBUTION, FAULTS, TAKEOVERS } from './support/node-faults.ts';
import { startUndistributed } from './support/own-cluster.ts';
import { startShardedStore } from './support/sharded-store.ts';

/** How many times a longer run injects all faults. */
const { ROUNDS } = process.env;

const cluster = await startUndistributed();
const store = await startShardedStore(cluster);
const outcomes: Outcome[] = [];
afterAll(() => {
  process.stdout.write(`\n${figuresOf(outcomes)}\n\n`);
});

const rounds =
  ROUNDS === undefined
    ? FAULTS.filter(({ isLikeAnother = false }) => !isLikeAnother)
    : Array.from({ length: Number(ROUNDS) }, () => FAULTS).flat();

test.each([DISTRIBUTION, ...rounds, ...TAKEOVERS])(
  'no animal is lost or duplicated and no response is wrong when $what',
  async (fault) => {
    const outcome = await runRound(store, fault);
    outcomes.push(outcome);
    expect(outcome.checks).toBeGreaterThan(outcome.acknowledged);
    const { lost, wrong, gaps } = outcome;
    expect({ lost, wrong, gaps }).toEqual({ lost: [], wrong: [], gaps: [] });
  },
  180_000,
);
