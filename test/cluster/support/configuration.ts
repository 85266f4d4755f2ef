import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { replaceEach } from '../../system/support/haproxy.ts';

const FOLDER = new URL('../../../deploy/cluster/', import.meta.url);

/** The settings in deploy/cluster with Patroni's and PostgreSQL's defaults. docs/results/failover.md has results for both. */
export const PATRONI_DEFAULTS = {
  'ttl: 6': 'ttl: 30',
  'loop_wait: 1': 'loop_wait: 10',
  'retry_timeout: 2': 'retry_timeout: 10',
  'failsafe_mode: true': 'failsafe_mode: false',
  'synchronous_node_count: 2': 'synchronous_node_count: 1',
  'use_slots: false': 'use_slots: true',
  'wal_retrieve_retry_interval: 500ms': 'wal_retrieve_retry_interval: 5s',
};

/** The HAProxy settings in deploy/cluster with those from Patroni's documentation. */
export const HAPROXY_DEFAULTS = {
  'timeout connect 500ms': 'timeout connect 4s',
  'timeout check 1s': 'timeout check 5s',
  'inter 500ms fall 2 rise 1': 'inter 3s fall 3 rise 2',
};

/** The addresses in deploy/cluster, by machine name. */
const EXAMPLES = { one: '10.0.0.11', two: '10.0.0.12', three: '10.0.0.13' } as const;

export type MachineName = keyof typeof EXAMPLES;
export const MACHINE_NAMES = ['one', 'two', 'three'] as const;
export type Addresses = Readonly<Record<MachineName, string>>;

/** The variable that has the same value on every machine. */
const SHARED = 'ETCD_INITIAL_CLUSTER';

/** Returns a file of deploy/cluster with other addresses and replacements. */
export async function configuration(
  file: 'patroni.yml' | 'haproxy.cfg',
  addresses: Addresses,
  replacements: Readonly<Record<string, string>> = {},
): Promise<string> {
  const text = await readFile(new URL(file, FOLDER), 'utf8');
  return replaceEach(withAddresses(text, addresses), replacements);
}

/** Returns the environment of a program on a machine, from a file of deploy/cluster. */
export async function environment(
  file: 'patroni.env' | 'etcd.env',
  name: MachineName,
  addresses: Addresses,
): Promise<NodeJS.ProcessEnv> {
  const text = await readFile(new URL(file, FOLDER), 'utf8');
  const own: NodeJS.ProcessEnv = {};
  for (const [variable, value = ''] of Object.entries(parseEnv(text))) {
    const ofMachine = variable === SHARED ? value : value.replaceAll(EXAMPLES.one, EXAMPLES[name]);
    own[variable] = variable.endsWith('_NAME') ? name : withAddresses(ofMachine, addresses);
  }
  return own;
}

function withAddresses(text: string, addresses: Addresses): string {
  return MACHINE_NAMES.reduce(
    (replaced, name) => replaced.replaceAll(EXAMPLES[name], addresses[name]),
    text,
  );
}
