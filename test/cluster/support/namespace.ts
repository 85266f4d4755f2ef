import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { childrenOf } from '../../support/process-list.ts';

/** A network and a table of processes apart from this machine's. With it end all processes and interfaces in it. */
export interface Namespace extends AsyncDisposable {
  /** Of its first process, as this machine sees it. */
  readonly pid: number;
  /** The command line that runs one in it. */
  readonly enter: (command: readonly string[]) => readonly [program: string, ...args: string[]];
  /** Configures its network. */
  readonly ip: (...args: readonly string[]) => Promise<void>;
}

const execute = promisify(execFile);

/** The first process ends once its input does, also when this one is killed. bash, unlike sh, waits for orphans. */
const FIRST_PROCESS = 'echo started; while read -r _; do :; done';

/** @throws Error if this user may not */
export async function startNamespace(): Promise<Namespace> {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) {
    throw new Error(
      'machines with networks of their own take root on Linux: run this test as root',
    );
  }
  const options = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const child = spawn('unshare', [...options, 'bash', '-c', FIRST_PROCESS], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exit]);
  const [pid] = child.pid === undefined ? [] : await childrenOf(child.pid);
  if (pid === undefined) {
    throw new Error('unshare makes no namespaces here: run this test as root, with CAP_SYS_ADMIN');
  }
  const target = ['--target', String(pid)];
  return {
    pid,
    enter: (command) => ['nsenter', ...target, '--net', '--pid', '--mount', '--', ...command],
    ip: async (...args) => {
      await execute('nsenter', [...target, '--net', '--', 'ip', ...args]);
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await exit;
    },
  };
}
