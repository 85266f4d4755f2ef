import { expect, inject, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startPatientService, type Service } from '../support/service.ts';
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
  const { child, url } = service;
  child.hang(true);
  await send(service, 2000);
  child.kill('SIGTERM');
  const isGone = () =>
    fetch(`${url}/livez`).then(
      () => false,
      () => true,
    );
  await expect.poll(isGone).toBe(true);
  child.hang(false);
  expect(await child.exit).toEqual({ code: 0, signal: null });
});
