import { EMBEDDED } from '../../test/support/store-database.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline';
import { urlOf } from '../../packages/local/src/embedded/join.ts';
import { openCluster, serverArguments } from '../../packages/local/src/embedded/server.ts';
import { preparePrograms } from '../../packages/local/src/embedded/programs.ts';
import type { Start } from '../figures/sample.ts';
import { inherited, runPackageScript } from '../processes/command.ts';
import { ROOT } from '../root.ts';
import { cpuOf } from '../processes/usage.ts';

/** Number of animals in the gateway's data folder. */
const PETS = 1000;

/**
 * Measures starts of the gateway and of the baseline in turn, on existing data: from when the process is created to the first
 * response.
 *
 * @param dataDirectory a folder, which is filled with data
 */
export async function measureStarts(
  dataDirectory: string,
  rounds: number,
  signal: AbortSignal,
): Promise<readonly Start[]> {
  const data = { DATA_DIR: dataDirectory };
  await runPackageScript('seed', [String(PETS)], data, signal);
  const key = await runPackageScript('keys', ['create', 'bench'], data, signal);
  const baseline = await runBaseline(dataDirectory);
  const gateway: Program = {
    // The same options as in `npm start`.
    options: ['-r', './packages/gateway/preflight.cjs'],
    file: 'src/main.ts',
    args: [],
    env: data,
    ready: /"msg":"listening"/,
    ask: async (line) => {
      const url = /"url":"([^"]+)"/.exec(line)?.[1] ?? '';
      const headers = { authorization: `Bearer ${key}` };
      const { status } = await fetch(`${url}/v1/pets`, { headers });
      if (status !== 200) throw new Error(`the first response has status ${status}`);
    },
  };

  const starts: Start[] = [];
  for (let round = 0; round < rounds; round += 1) {
    signal.throwIfAborted();
    starts.push({ round, program: 'ours', ...(await timeStart(gateway)) });
    signal.throwIfAborted();
    starts.push({ round, program: 'baseline', ...(await timeStart(baseline)) });
  }
  return starts;
}

interface Program {
  /** Options of Node. */
  readonly options: readonly string[];
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Matches the line that it prints when it is ready for requests. */
  readonly ready: RegExp;
  /** Sends a request after that line, which has to be answered too. */
  readonly ask?: (line: string) => Promise<void>;
}

async function timeStart(program: Program): Promise<Pick<Start, 'cpu' | 'wall'>> {
  const { options, file, args, env, ready, ask } = program;
  const begin = performance.now();
  const child = spawn(process.execPath, [...options, file, ...args], {
    cwd: ROOT,
    env: { ...inherited(), PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const line = await lineOf(child, ready);
    await ask?.(line);
    const wall = (performance.now() - begin) / 1000;
    return { cpu: await cpuOf(child.pid ?? 0), wall };
  } finally {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
  }
}

async function lineOf(child: ChildProcess, pattern: RegExp): Promise<string> {
  if (child.stdout === null) throw new Error('there is no output to read');
  const lines = createInterface({ input: child.stdout });
  const found = new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      if (pattern.test(line)) resolve(line);
    });
    lines.on('close', () => {
      reject(new Error(`${child.spawnargs.join(' ')} exited before it was ready`));
    });
  });
  return found;
}

/** The baseline, which runs PostgreSQL just as the gateway would. */
async function runBaseline(dataDirectory: string): Promise<Program> {
  const cluster = await openCluster(dataDirectory, EMBEDDED);
  const { postgres } = await preparePrograms(cluster.dataDirectory, cluster.account);
  const { uid, gid } = cluster.account ?? userInfo();
  return {
    options: [],
    file: 'bench/start/baseline.ts',
    args: [String(uid), String(gid), postgres, ...serverArguments(cluster)],
    env: { DATABASE_URL: urlOf(cluster) },
    ready: /^ready$/,
  };
}
