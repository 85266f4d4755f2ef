import { afterAll, expect, test } from 'vitest';
import { startCluster } from './support/cluster.ts';
import { failOver, FAULTS, figuresOf, type Outcome } from './support/failover.ts';
import { startReplicatedStore } from './support/replicated-store.ts';

// oxlint-disable-next-line node/no-process-env -- options of a run for docs/results/failover.md
const { ROUNDS = '1', REPLICATION = 'synchronous', SETTINGS = 'deploy' } = process.env;

const isSynchronous = REPLICATION === 'synchronous';
const hasDefaults = SETTINGS === 'default';
/** Far more seconds of 503 than on a machine with dedicated processors, even if a standby has to be rewound first. */
const UNAVAILABLE = hasDefaults ? 120 : 60;

const cluster = await startCluster({ isSynchronous, hasDefaults });
const store = await startReplicatedStore(cluster);
const outcomes: Outcome[] = [];
afterAll(() => {
  process.stdout.write(`\n${figuresOf(outcomes)}\n\n`);
});

const rounds = Array.from({ length: Number(ROUNDS) }, () => FAULTS).flat();

test.each(rounds)(
  'no animal is lost or duplicated and no response is wrong when $what',
  async (fault) => {
    const outcome = await failOver(cluster, store, fault);
    outcomes.push(outcome);
    expect(outcome.checks).toBeGreaterThan(outcome.acknowledged);
    expect(outcome.byReplicas).toBeGreaterThan(0);
    expect(outcome.creates503 - outcome.stalled).toBeLessThan(UNAVAILABLE);
    const { lost, wrong, isSplit } = outcome;
    const none = { lost: [], wrong: [], isSplit: false };
    // Asynchronous replication may lose animals, which is only reported as a figure.
    expect(isSynchronous ? { lost, wrong, isSplit } : none).toEqual(none);
  },
);
