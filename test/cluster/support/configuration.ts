import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { replaceEach } from '../../system/support/haproxy.ts';

const FOLDER = new URL('../../../deploy/cluster/', import.meta.url);

/** What deploy/cluster sets, and what Patroni and PostgreSQL do by default: docs/results/failover.md has what both achieved. */
export const PATRONI_DEFAULTS = {
  'ttl: 6': 'ttl: 30',
  'loop_wait: 1': 'loop_wait: 10',
  'retry_timeout: 2': 'retry_timeout: 10',
  'failsafe_mode: true': 'failsafe_mode: false',
  'synchronous_node_count: 2': 'synchronous_node_count: 1',
  'use_slots: false': 'use_slots: true',
  'wal_retrieve_retry_interval: 500ms': 'wal_retrieve_retry_interval: 5s',
};

/** Likewise, and how Patroni's documentation sets HAProxy up. */
export const HAPROXY_DEFAULTS = {
  'timeout connect 500ms': 'timeout connect 4s',
  'timeout check 1s': 'timeout check 5s',
  'inter 500ms fall 2 rise 1': 'inter 3s fall 3 rise 2',
};

/** The machines of the examples, by their names. */
const EXAMPLES = { one: '10.0.0.11', two: '10.0.0.12', three: '10.0.0.13' } as const;

export type MachineName = keyof typeof EXAMPLES;
export const MACHINE_NAMES = ['one', 'two', 'three'] as const;
export type Addresses = Readonly<Record<MachineName, string>>;

/** What is the same on every machine. */
const SHARED = 'ETCD_INITIAL_CLUSTER';

/** A file of deploy/cluster for other machines, and with other texts replaced as well. */
export async function configuration(
  file: 'patroni.yml' | 'haproxy.cfg',
  addresses: Addresses,
  replacements: Readonly<Record<string, string>> = {},
): Promise<string> {
  const text = await readFile(new URL(file, FOLDER), 'utf8');
  return replaceEach(withAddresses(text, addresses), replacements);
}

/** The environment that a file of deploy/cluster gives to a program on a machine. */
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
