import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ERROR_KINDS } from '@store-gateway/ops/errors';
import { isJsonObject } from '@store-gateway/ops';
import type { Period } from './honest-client.ts';
import type { Target } from './send-exchange.ts';

/** What the service tells of its process, since it was asked the last time. */
export interface RuntimeStatistics {
  /** The longest that it worked on end, by what it had of a processor: the clock tells of other processes, too. */
  readonly turnMilliseconds: number;
  /** The longest for which its event loop did not turn, by the clock; of this process's `performance.now()`. */
  readonly longestHalt: Period;
  /** What is left after garbage collection. */
  readonly heapBytes: number;
  /** Resident memory, all told. */
  readonly residentBytes: number;
}

/** The service as a process of its own. Disposing of it kills it if it has not been stopped. */
export interface FuzzedService extends Target, AsyncDisposable {
  /** What is wrong with it by now: that it has ended, or what it says in its log. */
  readonly faults: () => readonly string[];
  readonly statistics: () => Promise<RuntimeStatistics>;
  /** Has it end in order; resolves to what is wrong about that, and about all that it did. */
  readonly stop: () => Promise<readonly string[]>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const IMPORTS = ['runtime-statistics', 'end-with-parent'].map(
  (name) => `--import=./test/fuzz/${name}.ts`,
);

/** Milliseconds within which the service promises to end at SIGTERM. */
const STOP_TIMEOUT = 10_000;

/** @param databaseUrl of an empty database, or one that is migrated but has no key */
export async function startFuzzedService(databaseUrl: string): Promise<FuzzedService> {
  const child = spawn(process.execPath, [...IMPORTS, 'src/main.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      PORT: '0',
      LOG_LEVEL: 'info',
      // What is refused for its number alone is not looked at.
      RATE_LIMIT: 'off',
      FAILED_AUTH_LIMIT: 'off',
    },
    stdio: 'pipe',
    // Ctrl-C is for whoever attacks it, who then ends it.
    detached: true,
  });
  const faults: string[] = [];
  const listening = Promise.withResolvers<number>();
  const firstKey = Promise.withResolvers<string>();
  let report = Promise.withResolvers<Omit<RuntimeStatistics, 'residentBytes'>>();
  let key = '';

  createInterface(child.stdout).on('line', (line) => {
    const fault = logFault(line, key);
    if (fault !== undefined) {
      faults.push(fault);
    }
    const [, port] = /"url":"http:\/\/[^"]+:(\d+)","msg":"listening"/.exec(line) ?? [];
    if (port !== undefined) {
      listening.resolve(Number(port));
    }
  });
  createInterface(child.stderr).on('line', (line) => {
    const [, shown] = /^ {2}API_KEY=(asg_\w+)$/.exec(line) ?? [];
    const [, json] = /^runtime statistics: (.+)$/.exec(line) ?? [];
    if (shown !== undefined) {
      firstKey.resolve(shown);
    } else if (json !== undefined) {
      report.resolve(readReport(json));
    } else if (key !== '') {
      faults.push(`it writes on stderr: ${line}`);
    }
  });
  let isStopping = false;
  const ended = Promise.withResolvers<void>();
  child.once('close', (code, signal) => {
    const error = new Error(`the service ended: ${String(code ?? signal)}`);
    listening.reject(error);
    firstKey.reject(error);
    report.reject(error);
    if (!isStopping || code !== 0) {
      faults.push(error.message);
    }
    ended.resolve();
  });
  report.promise.catch(() => undefined);
  firstKey.promise.catch(() => undefined);

  const port = await listening.promise;
  key = await firstKey.promise;
  return {
    port,
    key,
    faults: () => faults,
    statistics: async () => {
      report = Promise.withResolvers();
      child.kill('SIGUSR2');
      const told = await report.promise;
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
      return { ...told, residentBytes: Number(kibibytes) * 1024 };
    },
    stop: async () => {
      isStopping = true;
      child.kill('SIGTERM');
      const timer = setTimeout(() => {
        faults.push(`it did not end within ${STOP_TIMEOUT} ms of SIGTERM`);
        child.kill('SIGKILL');
      }, STOP_TIMEOUT);
      await ended.promise;
      clearTimeout(timer);
      return faults;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended.promise;
    },
  };
}

/** What is wrong about a line of the log: it is a complaint, has the key in it, or is no line of JSON. */
function logFault(line: string, key: string): string | undefined {
  if (key !== '' && line.includes(key)) {
    return `its log has the key: ${line}`;
  }
  try {
    JSON.parse(line);
  } catch {
    return `its log has what is no JSON: ${line}`;
  }
  // That the database took too long is counted by what is answered (load-refusals.ts).
  const isUsual =
    line.startsWith('{"level":30,') ||
    /"msg":"(?:deprecated field called|SERVICE_UNAVAILABLE)"/.test(line) ||
    line.includes(`"message":"${ERROR_KINDS.SERVICE_UNAVAILABLE.constantText}`);
  return isUsual ? undefined : `it complains: ${line}`;
}

function readReport(json: string): Omit<RuntimeStatistics, 'residentBytes'> {
  const report: unknown = JSON.parse(json);
  const told = isJsonObject(report) ? report : {};
  const halt = isJsonObject(told['longestHalt']) ? told['longestHalt'] : {};
  // Both clocks are the system's monotonic one, counted from different starts.
  const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  return {
    turnMilliseconds: Number(told['turnMilliseconds']),
    longestHalt: { from: Number(halt['from']) - offset, to: Number(halt['to']) - offset },
    heapBytes: Number(told['heapBytes']),
  };
}
