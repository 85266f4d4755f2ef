import { expect, inject, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { runProgram, type Exit, type Run } from '../support/process.ts';
import { startPatientService, type Service } from '../support/service.ts';
import { metricOf } from '../support/workers.ts';

/** In each line of the log, so that few requests fill what may wait for its reader. */
const LONG_PATH = `/v1/pets/${'9'.repeat(4000)}`;

/** Sends requests that are refused, and logged; resolves to the statuses of the answers. */
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

/** Has more logged than its hung reader, the pipes and the process hold. */
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
  'a hung reader of $what blocks neither requests nor a stop with WORKERS=$workers, and learns how many lines it missed',
  async ({ workers, run }) => {
    const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
    const env = { DATABASE_URL: databaseUrl, METRICS_PORT: '0', WORKERS: workers };
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
    const line = await child.line('stdout', (text) => text.includes('lines were dropped'));
    expect(JSON.parse(line)).toHaveProperty('dropped');
    child.hang(true);
    await overflow(service);
    expect(await stopUnread(service)).toEqual({ code: 0, signal: null });
  },
);

/** Stops a service whose reader hangs; it has to end before that reads again. */
async function stopUnread({ child }: Service): Promise<Exit> {
  child.kill('SIGTERM');
  await child.ended;
  child.hang(false);
  return child.exit;
}
