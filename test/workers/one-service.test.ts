import { expect, test } from 'vitest';
import { SERVER, startCollector } from '../support/collector.ts';
import { processesNaming } from '../support/process-list.ts';
import { logOf, workersOf, firstKey, startPatientService, stop } from '../support/service.ts';
import { testFolder } from '../support/test-folder.ts';
import { metricOf } from '../support/measured.ts';
import { askAlone } from '../support/node-request.ts';

/* Several workers look like one service, with one PostgreSQL, first key, log and metrics port. */
const data = await testFolder();
const service = await startPatientService({
  WORKERS: '3',
  DATA_DIR: data,
  METRICS_PORT: '0',
});
const { child, url } = service;
const headers = { Authorization: `Bearer ${await firstKey(service)}` };
const counted = () => metricOf(service, 'http_server_request_duration_seconds_count');
const requests = () => logOf(service).filter(({ msg }) => msg === 'request').length;

test('workers listen once, create one first key, and expose the database URL in no command line', async () => {
  expect(await workersOf(service, 3)).toHaveLength(3);
  expect(logOf(service).filter(({ msg }) => msg === 'listening')).toMatchObject([
    { url, workers: 3 },
  ]);
  expect(child.stderr().match(/API_KEY=/g)).toHaveLength(1);
  const servers = (await processesNaming(data)).filter((line) => line.includes('-D'));
  expect(servers).toHaveLength(1);
  expect(await processesNaming('postgresql://animal_store')).toEqual([]);
});

test('each worker answers probes and requests', async () => {
  for (let request = 0; request < 6; request += 1) {
    for (const path of ['/readyz', '/livez', '/v1/pets']) {
      expect((await askAlone(url + path, headers)).statusCode).toBe(200);
    }
  }
});

test("the workers' log consists of whole lines, each with its process's id", async () => {
  const path = `/${'x'.repeat(12_000)}`;
  await Promise.all(Array.from({ length: 60 }, () => askAlone(url + path, headers)));
  const long = () => logOf(service).filter((line) => line['path'] === path);
  await expect.poll(long).toHaveLength(60);
  expect(new Set(logOf(service).map(({ pid }) => pid)).size).toBe(4);
});

test("the workers' counters are summed, and continue when a worker is killed or all are replaced", async () => {
  const before = (await counted()) - requests();
  const workers = await workersOf(service, 3);
  // On a busy machine, a worker may report late.
  await expect.poll(counted).toBe(before + requests());
  expect(await metricOf(service, 'animal_store_workers')).toBe(3);
  expect(await metricOf(service, 'http_server_open_connections_max')).toBe(12_000);
  expect(await metricOf(service, 'animal_store_ready')).toBe(1);
  expect(await metricOf(service, 'animal_store_build_info')).toBe(1);

  const [killed = 0] = workers;
  process.kill(killed, 'SIGKILL');
  const logged = await child.line('stdout', (line) => line.includes('a worker was killed'));
  expect(JSON.parse(logged)).toMatchObject({ level: 50, worker: killed, delayMs: 0 });
  await child.line('stdout', (line) => line.includes('the worker has been replaced'));
  expect(await counted()).toBe(before + requests());
  expect(await metricOf(service, 'animal_store_worker_deaths_total')).toBe(1);

  child.kill('SIGHUP');
  await child.line('stdout', (line) => line.includes('the workers have been replaced'));
  const after = await workersOf(service, 3);
  expect(new Set(workers).intersection(new Set(after)).size).toBe(0);
  await expect.poll(counted).toBe(before + requests());
  expect(await metricOf(service, 'animal_store_workers')).toBe(3);
}, 180_000);

test("SIGTERM ends all of the service's processes", async () => {
  await stop(service);
  expect(await processesNaming(data)).toEqual([]);
});

const INSTANCE = /"service\.instance\.id","value":\{"stringValue":"([^"]+)"/g;

test('each worker exports its traces before it ends', async () => {
  await using collector = await startCollector();
  await using exporting = await startPatientService({
    ...collector.env,
    // Spans are exported only at shutdown.
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    WORKERS: '2',
  });
  await workersOf(exporting, 2);
  expect(collector.spans()).toEqual([]);
  await stop(exporting);
  const logged = logOf(exporting).filter(({ msg }) => msg === 'request');
  expect(collector.spans().filter(({ kind }) => kind === SERVER)).toHaveLength(logged.length);
  const instances = Array.from(collector.received().matchAll(INSTANCE), ([, id]) => id);
  expect(new Set(instances).size).toBe(2);
});
