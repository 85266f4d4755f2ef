import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { childrenOf } from '../../support/process-list.ts';

/** A simulated machine on a switch to which the host is connected, too. */
export interface Machine extends Pick<Namespace, 'enter'> {
  readonly address: string;
  /** Silently drops all traffic from and to the machine. */
  readonly cut: () => Promise<void>;
  /** Drops traffic from this machine to the given addresses. */
  readonly cutFrom: (addresses: readonly string[]) => Promise<void>;
  readonly reconnect: () => Promise<void>;
}

export interface Network extends AsyncDisposable {
  readonly machines: readonly Machine[];
}

const execute = promisify(execFile);

/** A hardware address that no machine has. */
const NOWHERE = '02:00:00:00:00:01';

/** Starts machines and connects them. Their interfaces and namespaces end with this process. */
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

/** Returns a free subnet in 198.18.0.0/15, which is reserved for network benchmarks. */
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

/** A separate network and process table. All processes and interfaces in it end with it. */
interface Namespace extends AsyncDisposable {
  /** The id of the first process, as the host sees it. */
  readonly pid: number;
  /** Returns the command line that runs a command in the namespace. */
  readonly enter: (command: readonly string[]) => readonly [program: string, ...args: string[]];
  /** Configures the namespace's network. */
  readonly ip: (...args: readonly string[]) => Promise<void>;
}

/** The first process ends when its input does, even if the test is killed. Unlike sh, bash waits for orphans. */
const FIRST_PROCESS = 'echo started; while read -r _; do :; done';

/**
 * This shell is outside of the process namespace and its child is inside, so it can wait for a child that is stopped
 * when the namespace ends. nsenter would stop together with its child, and then the namespace could not end.
 */
const WAITING_PROCESS = '"$@" & wait $!';

/** Starts a namespace. @throws Error if this user lacks the privileges */
async function startNamespace(): Promise<Namespace> {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) {
    throw new Error('simulated machines need root privileges on Linux: run this test as root');
  }
  const options = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const child = spawn('unshare', [...options, 'bash', '-c', FIRST_PROCESS], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exit]);
  const [pid] = child.pid === undefined ? [] : await childrenOf(child.pid);
  if (pid === undefined) {
    throw new Error(
      'unshare cannot create namespaces here: run this test as root with CAP_SYS_ADMIN',
    );
  }
  const target = ['--target', String(pid)];
  return {
    pid,
    enter: (command) => {
      const inAll = ['--net', '--pid', '--mount', '--no-fork', '--'];
      return ['nsenter', ...target, ...inAll, 'sh', '-c', WAITING_PROCESS, 'sh', ...command];
    },
    ip: async (...args) => {
      await execute('nsenter', [...target, '--net', '--', 'ip', ...args]);
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await exit;
    },
  };
}
