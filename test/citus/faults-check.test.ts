import { expect, test } from 'vitest';
import { environmentOf, type Mutation } from '../support/changed-sources.ts';
import { runRound } from './support/fault-round.ts';
import { cutting, type NodeFault } from './support/node-faults.ts';
import { startUndistributed } from './support/own-cluster.ts';
import { startShardedStore } from './support/sharded-store.ts';

/** Leaves transactions prepared on a worker while clients write. */
const keepPrepared: NodeFault['befall'] = ({ workers: [worker] }, load) =>
  worker.disturb(cutting(/^COMMIT PREPARED/, 'unsent'), () => load.acknowledged(3));

/** Mutations that break the service, with the faults that a round must then find. */
const WRONG: readonly (Mutation & NodeFault & { readonly fault: RegExp })[] = [
  {
    what: 'commits rows before their idempotency keys',
    file: 'packages/data/src/write.ts',
    // oxlint-disable-next-line no-template-curly-in-string -- literal source text
    text: '; DELETE FROM ${quoted(table)} WHERE false',
    replacement: '',
    fault: /is there as \[\d+,|it shows/,
    befall: ({ workers: [worker] }, load) =>
      worker.disturb(cutting(/^COMMIT$/, 'unanswered'), load.refused),
  },
  {
    what: 'treats transactions that a worker has not committed yet as committed',
    file: 'packages/postgres/src/pooled-client.ts',
    text: "file === 'remote_transaction.c'",
    replacement: 'file === undefined',
    fault: /it misses \d+/,
    befall: keepPrepared,
  },
  {
    what: 'replays from idempotency keys without reading the rows',
    file: 'packages/data/src/write.ts',
    text: "operation !== 'create' || present.includes(undefined)",
    replacement: "operation === 'none'",
    fault: /it misses \d+|it shows/,
    befall: keepPrepared,
  },
];

const cluster = await startUndistributed();

test.each(WRONG)(
  'a fault-injection round detects a service that $what',
  async ({ fault, what, befall, ...mutation }) => {
    const store = await startShardedStore(cluster, environmentOf(mutation));
    await store.query("SELECT create_distributed_table('pets', 'id')");
    const { lost, wrong, gaps } = await runRound(store, { what, befall });
    const found = [...lost, ...wrong, ...gaps];
    expect(found).toContainEqual(expect.stringMatching(fault));
  },
  180_000,
);
