import { expect, test } from 'vitest';
import { onFileFinished } from '../support/clean-up.ts';
import { processesNaming } from '../support/process-list.ts';
import { firstKey, startPatientService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { askAlone, logOf, metricOf, workersOf } from '../support/workers.ts';

/* Several workers look like one service: with one PostgreSQL, first key, log and metrics port. */
const data = await temporaryDirectory();
onFileFinished(() => data[Symbol.asyncDispose]());
const service = await startPatientService({
  WORKERS: '3',
  DATA_DIR: data.path,
  METRICS_PORT: '0',
});
const { child, url } = service;
const headers = { Authorization: `Bearer ${await firstKey(service)}` };
const answers = () => metricOf(service, 'http_server_request_duration_seconds_count');

const requests = () => logOf(service).filter(({ msg }) => msg === 'request').length;

test('connections are accepted by all workers', async () => {
  expect(await workersOf(service, 3)).toHaveLength(3);
});

test('it listens once, makes one first key and greets once, and shows the database to nobody', async () => {
  expect(logOf(service).filter(({ msg }) => msg === 'listening')).toMatchObject([
    { url, workers: 3 },
  ]);
  expect(child.stderr().match(/API_KEY=/g)).toHaveLength(1);
  const servers = (await processesNaming(data.path)).filter((line) => line.includes('-D'));
  expect(servers).toHaveLength(1);
  expect(await processesNaming('postgresql://animal_store')).toEqual([]);
});

test('all workers answer probes and requests', async () => {
  for (let request = 0; request < 6; request += 1) {
    expect((await askAlone(`${url}/readyz`, {})).statusCode).toBe(200);
    expect((await askAlone(`${url}/livez`, {})).statusCode).toBe(200);
    expect((await askAlone(`${url}/v1/pets`, headers)).statusCode).toBe(200);
  }
});

test('the log has whole lines, however long, and each says which process it is of', async () => {
  const path = `/${'x'.repeat(12_000)}`;
  await Promise.all(Array.from({ length: 60 }, () => askAlone(url + path, headers)));
  const long = () => logOf(service).filter((line) => line['path'] === path);
  await expect.poll(long).toHaveLength(60);
  const pids = new Set(logOf(service).map(({ pid }) => pid));
  expect(pids).toHaveLength(4);
});

test('metrics are those of all workers, and no counter goes back when one is killed or all are replaced', async () => {
  const before = (await answers()) - requests();
  const workers = await workersOf(service, 3);
  // A worker on a busy machine may tell later than it is waited for.
  await expect.poll(answers).toBe(before + requests());
  expect(await metricOf(service, 'animal_store_workers')).toBe(3);
  expect(await metricOf(service, 'http_server_open_connections_max')).toBe(12_000);
  expect(await metricOf(service, 'animal_store_ready')).toBe(1);
  expect(await metricOf(service, 'animal_store_build_info')).toBe(1);

  const [killed = 0] = workers;
  process.kill(killed, 'SIGKILL');
  const logged = await child.line('stdout', (line) => line.includes('a worker was ended'));
  expect(JSON.parse(logged)).toMatchObject({ level: 50, worker: killed, delayMs: 0 });
  await child.line('stdout', (line) => line.includes('the worker has been replaced'));
  expect(await answers()).toBe(before + requests());
  expect(await metricOf(service, 'animal_store_worker_deaths_total')).toBe(1);

  child.kill('SIGHUP');
  await child.line('stdout', (line) => line.includes('the workers have been replaced'));
  const after = await workersOf(service, 3);
  expect(new Set(workers).intersection(new Set(after)).size).toBe(0);
  await expect.poll(answers).toBe(before + requests());
  expect(await metricOf(service, 'animal_store_workers')).toBe(3);
}, 180_000);

test('SIGTERM ends all of it', async () => {
  child.kill('SIGTERM');
  expect(await child.exit).toEqual({ code: 0, signal: null });
  expect(await processesNaming(data.path)).toEqual([]);
});
