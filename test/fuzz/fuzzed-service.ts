import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ERROR_KINDS } from '@store-gateway/ops/errors';
import type { Target } from './send-exchange.ts';
import { startServiceProcess } from './service-process.ts';

/** A period between two values of `performance.now()`. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** What the service reports about its process since the last report. */
export interface RuntimeStatistics {
  /** The longest turn of the event loop in processor time, because a clock also counts other processes. */
  readonly turnMilliseconds: number;
  /** The longest time for which the event loop stood still, by the wall clock. */
  readonly longestHalt: Period;
  /** Bytes after a garbage collection. */
  readonly heapBytes: number;
  readonly residentBytes: number;
}

/** The service as a process. Disposing of it kills it. */
export interface FuzzedService extends Target, AsyncDisposable {
  /** The faults so far: an unexpected exit, and wrong log lines. */
  readonly faults: () => readonly string[];
  readonly statistics: () => Promise<RuntimeStatistics>;
  /** Stops the service with SIGTERM; resolves to all faults. */
  readonly stop: () => Promise<readonly string[]>;
}

/** Milliseconds within which the service promises to end after SIGTERM. */
const STOP_TIMEOUT = 10_000;

/** @param databaseUrl an empty database, or a migrated one without keys */
export async function startFuzzedService(databaseUrl: string): Promise<FuzzedService> {
  const service = startServiceProcess(
    // Requests that exceed a rate limit would not reach the code under attack.
    { DATABASE_URL: databaseUrl, RATE_LIMIT: 'off', FAILED_AUTH_LIMIT: 'off' },
    '--import=./test/fuzz/runtime-statistics.ts',
  );
  const { child } = service;
  const closed = once(child, 'close');
  const faults: string[] = [];
  let key = '';
  let isStopping = false;
  createInterface(child.stdout).on('line', (line) => {
    faults.push(...logFaults(line, key));
  });
  createInterface(child.stderr).on('line', (line) => {
    if (key !== '' && !line.startsWith('runtime statistics ')) {
      faults.push(`it writes to stderr: ${line}`);
    }
  });
  child.once('exit', (code, signal) => {
    if (!isStopping || code !== 0) {
      faults.push(`the service ended: ${code ?? signal}`);
    }
  });
  const port = await service.told('stdout', /"url":"http:\/\/[^"]+:(\d+)","msg":"listening"/);
  key = await service.told('stderr', /^ {2}API_KEY=(asg_\w+)$/m);
  let reports = 0;
  return {
    port: Number(port),
    key,
    faults: () => faults,
    statistics: async () => {
      reports += 1;
      const report = service.told('stderr', RegExp(`^runtime statistics ${reports}: (.+)$`, 'm'));
      child.kill('SIGUSR2');
      const [turnMilliseconds = 0, from = 0, to = 0, heapBytes = 0, residentBytes = 0] = (
        await report
      )
        .split(' ')
        .map(Number);
      // Both clocks are the system's monotonic one, counted from different starts.
      const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();
      const longestHalt = { from: from - offset, to: to - offset };
      return { turnMilliseconds, longestHalt, heapBytes, residentBytes };
    },
    stop: async () => {
      isStopping = true;
      if ((await service.stop(STOP_TIMEOUT)) === 'SIGKILL') {
        faults.push(`it did not end within ${STOP_TIMEOUT} ms of SIGTERM`);
      }
      await closed;
      return faults;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** The faults of a log line: a warning, the key, or text that is not JSON. */
function logFaults(line: string, key: string): string[] {
  if (key !== '' && line.includes(key)) {
    return [`its log has the key: ${line}`];
  }
  try {
    JSON.parse(line);
  } catch {
    return [`its log has a line that is not JSON: ${line}`];
  }
  // Database timeouts are judged by their responses (oracle.ts).
  const isUsual =
    line.startsWith('{"level":30,') ||
    /"msg":"(?:deprecated field called|SERVICE_UNAVAILABLE)"/.test(line) ||
    line.includes(`"message":"${ERROR_KINDS.SERVICE_UNAVAILABLE.constantText}`);
  return isUsual ? [] : [`it complains: ${line}`];
}
