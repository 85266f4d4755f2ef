import { expect, inject, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { runProgram, type Exit } from '../support/process.ts';
import { startPatientService, startService, type Service } from '../support/service.ts';
import { metricOf } from '../support/workers.ts';

async function startWith(env: NodeJS.ProcessEnv): Promise<Service> {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  return startPatientService({ DATABASE_URL: databaseUrl, METRICS_PORT: '0', ...env });
}

/** Sends requests that are refused, and logged; resolves to the statuses of the answers. */
async function send({ url }: Service, requests: number): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let sent = 0; sent < requests; sent += 50) {
    const batch = Array.from({ length: 50 }, () => fetch(`${url}/v1/pets`));
    for (const { status } of await Promise.all(batch)) {
      statuses.add(status);
    }
  }
  return statuses;
}

const dropped = (service: Service) => metricOf(service, 'animal_store_log_lines_dropped_total');

test.each(['1', '2'])(
  'a reader of the log that hangs stops nothing, with WORKERS=%s, and is told what it has missed',
  async (workers) => {
    await using service = await startWith({ WORKERS: workers });
    const { child, url } = service;
    expect(await dropped(service)).toBe(0);
    child.hang(true);
    // What may wait, and what is in the pipes, is less.
    do {
      expect(await send(service, 1000)).toEqual(new Set([401]));
    } while ((await dropped(service)) === 0);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    child.hang(false);
    const line = await child.line('stdout', (text) => text.includes('lines were dropped'));
    expect(JSON.parse(line)).toHaveProperty('dropped');
  },
);

test('a service whose reader hangs stops when it is told to', async () => {
  await using service = await startWith({});
  service.child.hang(true);
  await send(service, 2000);
  expect(await stopUnread(service)).toEqual({ code: 0, signal: null });
});

test('nor does a reader of both stdout and stderr stop it, when its workers were replaced', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  await using service = await startService(
    { DATABASE_URL: databaseUrl, METRICS_PORT: '0', WORKERS: '2' },
    (run) => runProgram('sh', ['-c', 'exec "$0" src/main.ts 2>&1', process.execPath], run),
  );
  const { child } = service;
  child.kill('SIGHUP');
  await child.line('stdout', (line) => line.includes('the workers are replaced'));
  child.hang(true);
  do {
    expect(await send(service, 1000)).toEqual(new Set([401]));
  } while ((await dropped(service)) === 0);
  expect(await stopUnread(service)).toEqual({ code: 0, signal: null });
});

/** Stops a service whose reader hangs; it has to end before that reads again. */
async function stopUnread({ child }: Service): Promise<Exit> {
  child.kill('SIGTERM');
  await child.ended;
  child.hang(false);
  return child.exit;
}
