import { afterAll, expect, test } from 'vitest';
import type { Mutation } from '../support/changed-sources.ts';
import { environmentOf } from '../support/mutation.ts';
import { cutAll } from './support/disturbances.ts';
import { runRound } from './support/fault-round.ts';
import type { NodeFault } from './support/node-faults.ts';
import { startUndistributed } from './support/own-cluster.ts';
import { startShardedStore } from './support/sharded-store.ts';

/** How the service could lie, or do things twice, and what finds it out. */
const WRONG: readonly (Mutation & NodeFault & { readonly fault: RegExp })[] = [
  {
    what: 'commits rows before their keys',
    file: 'packages/data/src/write.ts',
    // oxlint-disable-next-line no-template-curly-in-string -- as it is there
    text: '; DELETE FROM ${quoted(table)} WHERE false',
    replacement: '',
    fault: /is there as \[\d+,|it shows/,
    befall: async ({ workers: [worker] }, load) => {
      const mend = cutAll(worker, /^COMMIT$/, 'unanswered');
      await load.refused();
      mend();
    },
  },
  {
    what: 'takes what a worker has yet to commit for committed',
    file: 'packages/postgres/src/pooled-client.ts',
    text: "file === 'remote_transaction.c'",
    replacement: 'file === undefined',
    fault: /it misses \d+/,
    befall: async ({ workers: [worker] }, load) => {
      const mend = cutAll(worker, /^COMMIT PREPARED/, 'unsent');
      await load.acknowledged(3);
      mend();
    },
  },
  {
    what: 'answers from keys alone',
    file: 'packages/data/src/write.ts',
    text: "operation !== 'create' || present.includes(undefined)",
    replacement: "operation === 'none'",
    fault: /it misses \d+|it shows/,
    befall: async ({ workers: [worker] }, load) => {
      const mend = cutAll(worker, /^COMMIT PREPARED/, 'unsent');
      await load.acknowledged(3);
      mend();
    },
  },
];

const cluster = await startUndistributed();
afterAll(() => cluster[Symbol.asyncDispose]());

test.each(WRONG)(
  'a service that $what is found out',
  async ({ fault, what, befall, ...mutation }) => {
    const store = await startShardedStore(cluster, environmentOf(mutation));
    await store.query("SELECT create_distributed_table('pets', 'id')");
    const { lost, wrong, gaps } = await runRound(store, { what, befall });
    const found = [...lost, ...wrong, ...gaps];
    expect(found).toContainEqual(expect.stringMatching(fault));
  },
  180_000,
);
