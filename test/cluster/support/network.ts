import { execFile } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { startNamespace, type Namespace } from './namespace.ts';

/** A machine on a switch, to which this one is connected too. */
export interface Machine extends Pick<Namespace, 'enter'> {
  readonly address: string;
  /** Drops all that it sends and is sent, without a word to anyone. */
  readonly cut: () => Promise<void>;
  /** Drops what it sends to those machines. */
  readonly cutFrom: (addresses: readonly string[]) => Promise<void>;
  readonly reconnect: () => Promise<void>;
}

export interface Network extends AsyncDisposable {
  readonly machines: readonly Machine[];
}

const execute = promisify(execFile);

/** Nobody's hardware address. */
const NOWHERE = '02:00:00:00:00:01';

/** Starts machines, and connects them. Interfaces end with their namespaces, and those with this process. */
export async function startNetwork(machineCount: number): Promise<Network> {
  await using stack = new AsyncDisposableStack();
  const subnet = freeSubnet();
  const central = stack.use(await startNamespace());
  await central.ip('link', 'add', 'bridge', 'type', 'bridge');
  await central.ip('link', 'set', 'bridge', 'up');
  await connectThisMachine(central, subnet);
  const machines: Machine[] = [];
  while (machines.length < machineCount) {
    const namespace = stack.use(await startNamespace());
    const number = machines.length + 1;
    machines.push(await connect(central, namespace, `port${number}`, `${subnet}.${10 + number}`));
  }
  const started = stack.move();
  return { machines, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** Of 198.18.0.0/15, which is for measurements of networks and nobody's own. */
function freeSubnet(): string {
  const taken = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const subnets = Array.from(
    { length: 256 },
    (_, index) => `198.18.${(process.pid + index) % 256}`,
  );
  const free = subnets.find((subnet) =>
    taken.every(({ address }) => !address.startsWith(`${subnet}.`)),
  );
  if (free === undefined) {
    throw new Error('all subnets of 198.18.0.0/16 are in use');
  }
  return free;
}

async function connectThisMachine(central: Namespace, subnet: string): Promise<void> {
  const name = `cluster${process.pid}`;
  const peer = ['peer', 'name', 'port0', 'netns', String(central.pid)];
  await execute('ip', ['link', 'add', name, 'type', 'veth', ...peer]);
  await execute('ip', ['address', 'add', `${subnet}.1/24`, 'dev', name]);
  await execute('ip', ['link', 'set', name, 'up']);
  await central.ip('link', 'set', 'port0', 'master', 'bridge', 'up');
}

async function connect(
  central: Namespace,
  { pid, enter, ip }: Namespace,
  port: string,
  address: string,
): Promise<Machine> {
  const peer = ['peer', 'name', 'eth0', 'netns', String(pid)];
  await central.ip('link', 'add', port, 'type', 'veth', ...peer);
  await central.ip('link', 'set', port, 'master', 'bridge', 'up');
  await ip('address', 'add', `${address}/24`, 'dev', 'eth0');
  await ip('link', 'set', 'eth0', 'up');
  await ip('link', 'set', 'lo', 'up');
  const blocked: string[] = [];
  return {
    address,
    enter,
    cut: async () => {
      await central.ip('link', 'set', port, 'nomaster');
    },
    cutFrom: async (addresses) => {
      for (const other of addresses) {
        await ip('neigh', 'replace', other, 'lladdr', NOWHERE, 'dev', 'eth0');
        blocked.push(other);
      }
    },
    reconnect: async () => {
      await central.ip('link', 'set', port, 'master', 'bridge');
      for (const other of blocked.splice(0)) {
        await ip('neigh', 'delete', other, 'dev', 'eth0');
      }
    },
  };
}
