import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { expect } from 'vitest';

const FOLDER = new URL('../../../deploy/cluster/', import.meta.url);

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
  return Object.entries(replacements).reduce(
    (replaced, [from, to]) => {
      expect(replaced).toContain(from);
      return replaced.replaceAll(from, to);
    },
    withAddresses(text, addresses),
  );
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
