import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runProgram, type Exit, type Run } from '../support/process.ts';
import { startPatientService, type Service } from '../support/service.ts';
import { metricOf } from '../support/measured.ts';

/** Appears in each log line, so that few requests fill the buffers of the log's reader. */
const LONG_PATH = `/v1/pets/${'9'.repeat(4000)}`;

/** Sends requests that are rejected and logged; returns the response statuses. */
async function send({ url }: Service, requests: number): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let sent = 0; sent < requests; sent += 50) {
    const batch = Array.from({ length: 50 }, () => fetch(url + LONG_PATH));
    for (const { status } of await Promise.all(batch)) {
      statuses.add(status);
    }
  }
  return statuses;
}

const dropped = (service: Service) => metricOf(service, 'animal_store_log_lines_dropped_total');

/** Logs more than the hung reader, the pipes and the process can buffer. */
async function overflow(service: Service): Promise<void> {
  const before = await dropped(service);
  do {
    expect(await send(service, 100)).toEqual(new Set([401]));
  } while ((await dropped(service)) === before);
}

test.each([
  { what: 'stdout', workers: '1', run: undefined },
  {
    what: 'both stdout and stderr',
    workers: '2',
    run: (how: Run) =>
      runProgram('sh', ['-c', 'exec "$0" src/main.ts 2>&1', process.execPath], how),
  },
])(
  'with WORKERS=$workers, a hung reader of $what blocks no request or shutdown, and dropped lines are reported',
  async ({ workers, run }) => {
    const env = { METRICS_PORT: '0', WORKERS: workers };
    await using service = await startPatientService(env, run);
    const { child, url } = service;
    if (workers !== '1') {
      child.kill('SIGHUP');
      await child.line('stdout', (line) => line.includes('the workers have been replaced'));
    }
    expect(await dropped(service)).toBe(0);
    child.hang(true);
    await overflow(service);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    child.hang(false);
    const line = await child.line('stdout', (text) => text.includes('dropped log lines'));
    expect(JSON.parse(line)).toHaveProperty('dropped');
    child.hang(true);
    await overflow(service);
    expect(await stopUnread(service)).toEqual({ code: 0, signal: null });
  },
);

/** Stops a service whose reader hangs; the service must exit before the reader resumes. */
async function stopUnread({ child }: Service): Promise<Exit> {
  child.kill('SIGTERM');
  await child.ended;
  child.hang(false);
  return child.exit;
}

const ROOT = join(import.meta.dirname, '..', '..');

/** Logs a line when its stdin ends, then exits. */
const PROGRAM = `
  const { log } = await import('./packages/ops/src/log/log.ts');
  const { logFrom } = await import('./packages/gateway/src/log/service-log.ts');
  logFrom();
  process.stdin.resume().on('end', () => {
    log.LEVEL('last words');
    process.exit(3);
  });
`;

test.each(['info', 'fatal'])(
  "if the log's reader has closed the pipe, the process still exits promptly after a last line at level %s",
  async (level) => {
    const args = ['--input-type=module', '--eval', PROGRAM.replace('LEVEL', level)];
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    child.stdout.destroy();
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([3, null]);
  },
);
