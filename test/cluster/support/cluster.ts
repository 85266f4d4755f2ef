import { setTimeout } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { keptForFile } from '../../support/clean-up.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import {
  HAPROXY_DEFAULTS,
  MACHINE_NAMES,
  PATRONI_DEFAULTS,
  type Addresses,
} from './configuration.ts';
import { hasRole, query, startDatabaseMachine, type DatabaseMachine } from './database-machine.ts';
import { startNetwork } from './network.ts';
import { requireProgram } from './program.ts';

/** Three machines with PostgreSQL and Patroni, configured by deploy/cluster. */
export interface Cluster {
  readonly addresses: Addresses;
  readonly directory: string;
  /** Replacements for texts in haproxy.cfg. */
  readonly proxyChanges: Readonly<Record<string, string>>;
  readonly machines: readonly DatabaseMachine[];
  /** Resolves to the primary when there is one, other than `before` if that is given. */
  readonly primary: (before?: DatabaseMachine) => Promise<DatabaseMachine>;
  /** Resolves when both standbys follow the primary, and are synchronous if they should be. */
  readonly whole: () => Promise<DatabaseMachine>;
}

/** Milliseconds for a standby to be copied again, even on a slow machine. */
const REPAIR_TIMEOUT = 120_000;

const STREAMING = `SELECT FROM pg_stat_replication
  WHERE state = 'streaming' AND application_name IN ('one', 'two', 'three')`;

interface ClusterOptions {
  /** Whether a commit waits for a standby. */
  readonly isSynchronous: boolean;
  /** Whether to use the default timings of Patroni instead of those in deploy/cluster. */
  readonly hasDefaults?: boolean;
}

/** Starts three machines with etcd, Patroni and PostgreSQL. @throws Error that says what to install */
export async function startCluster({
  isSynchronous,
  hasDefaults = false,
}: ClusterOptions): Promise<Cluster> {
  await requireProgram('/usr/bin/patroni', 'patroni');
  await requireProgram('/usr/bin/etcd', 'etcd-server');
  await requireProgram('/usr/lib/postgresql/15/bin/postgres', 'postgresql-15');
  const directory = keptForFile(await temporaryDirectory());
  const network = keptForFile(await startNetwork(MACHINE_NAMES.length));
  const [one = '', two = '', three = ''] = network.machines.map(({ address }) => address);
  const addresses = { one, two, three };
  const synchronousCount = hasDefaults ? 1 : 2;
  const replication = { 'synchronous_mode: true': `synchronous_mode: ${isSynchronous}` };
  const machines = await Promise.all(
    network.machines.map((machine, index) =>
      startDatabaseMachine({
        name: MACHINE_NAMES[index] ?? 'one',
        machine,
        addresses,
        directory: directory.path,
        changes: { ...replication, ...(hasDefaults && PATRONI_DEFAULTS) },
      }),
    ),
  );

  const primary = async (before?: DatabaseMachine): Promise<DatabaseMachine> => {
    for (;;) {
      for (const machine of machines) {
        if (machine !== before && (await hasRole('primary', machine))) return machine;
      }
      await setTimeout(50);
    }
  };
  const state = async () => {
    const current = await primary();
    const following = await query(current, STREAMING).catch(() => []);
    const synchronous = await Promise.all(
      machines.map((machine) => hasRole('synchronous', machine)),
    );
    return { following: following.length, synchronous: synchronous.filter(Boolean).length };
  };
  return {
    addresses,
    directory: directory.path,
    proxyChanges: hasDefaults ? HAPROXY_DEFAULTS : {},
    machines,
    primary,
    whole: async () => {
      const wanted = { following: 2, synchronous: isSynchronous ? synchronousCount : 0 };
      await vi.waitFor(
        async () => {
          expect(await state()).toEqual(wanted);
        },
        { timeout: REPAIR_TIMEOUT, interval: 100 },
      );
      return primary();
    },
  };
}
