import { EMBEDDED, startDatabase } from '../support/store-database.ts';
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openCluster, stopServer } from '../../packages/local/src/embedded/server.ts';
import { restAnimal } from '../support/animals.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { requestOf, sendTo } from '../support/gateway.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { processesNaming } from '../support/process-list.ts';
import { failedStart, firstKey, startPatientService, type Service } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/*
 * The life of one data folder, from the start that creates it. Each test continues where the previous one ended,
 * because creating a PostgreSQL takes longer than starting one.
 */
const directory = await temporaryDirectory();
// The start creates the folder; its path contains a space.
const data = join(directory.path, 'my store', 'data');
onFileFinished(async () => {
  // A failed test may leave a server running.
  await stopServer(await openCluster(data, EMBEDDED));
  await directory[Symbol.asyncDispose]();
});

/** Replaces curl on a machine that lacks it. */
const CURL_STAND_IN = `command -v curl >/dev/null || curl() { '${process.execPath}' -e '
  const [, header, url] = process.argv.slice(-3);
  const headers = [header.split(": ")];
  fetch(url, { headers }).then(async (answer) => process.stdout.write(await answer.text()));
' -- "$@"; }`;
const REX = restAnimal({ id: 1 });

const start = () => startPatientService({ DATA_DIR: data });

async function list({ url }: Service): Promise<string> {
  return (await requestOf(url, key)('/v1/pets')).text;
}

/** Ends a service with a signal, as Ctrl-C or a supervisor does. */
async function end({ child }: Service, signal: 'SIGINT' | 'SIGTERM'): Promise<void> {
  child.kill(signal);
  expect(await child.exit).toEqual({ code: 0, signal: null });
}

/** Returns the process id of the folder's PostgreSQL. */
async function recordedServer(): Promise<number> {
  const lock = join(data, 'postgres', 'cluster', 'postmaster.pid');
  return Number.parseInt(await readFile(lock, 'utf8').catch(() => ''), 10);
}

/** Returns whether a PostgreSQL runs on the folder. */
async function isServed(): Promise<boolean> {
  const running = (await processesNaming(data)).length > 0;
  expect(Number.isInteger(await recordedServer())).toBe(running);
  return running;
}

const together = await Promise.all([start(), start()]);
const [shower, key] = await Promise.race(
  together.map(async (service) => [service, await firstKey(service)] as const),
);
const other = together.find((service) => service !== shower) ?? shower;

test('of two services that start at once, only one creates and shows a key, with a curl command that works', async () => {
  const curl = await shower.child.line('stderr', (line) => line.startsWith('  curl '));
  await shower.child.line('stderr', (line) => line.startsWith('Create a key'));
  expect(shower.child.stderr()).toBe(`
This is a new store. Its first API key, shown only once:

  API_KEY=${key}

After pasting that line into a shell, list the animals (there are none yet):

${curl}

The store:           ${shower.url}/
GraphiQL:            ${shower.url}/graphql
REST documentation:  ${shower.url}/docs
OpenAPI:             ${shower.url}/v1/openapi.json
GraphQL schema:      ${shower.url}/schema.graphql

Create a key:        npm run --silent keys -- create NAME

`);
  const script = `${CURL_STAND_IN}\nAPI_KEY=${key}\n${curl}`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script]);
  expect(stdout).toBe('[]');
  const send = sendTo({ request: requestOf(shower.url, key) });
  expect((await send('POST', '/v1/pets', { name: 'Rex', categoryId: 1 })).text).toBe(REX);
});

test('two services share PostgreSQL, which keeps running when the one that started it ends', async () => {
  expect(await list(other)).toBe(`[${REX}]`);
  await end(shower, 'SIGINT');
  expect(shower.child.stdout()).not.toContain(key.slice(4, 12));
  expect(await isServed()).toBe(true);
  expect(await list(other)).toBe(`[${REX}]`);
});

test('a service restarts its PostgreSQL after it crashes', async () => {
  const lost = await recordedServer();
  process.kill(lost, 'SIGKILL');
  await expect.poll(recordedServer).not.toBeOneOf([lost, Number.NaN]);
  // Requests meanwhile return 503, which test/faults/outage.test.ts covers.
  await expect.poll(() => list(other)).toBe(`[${REX}]`);
  expect(other.child.stderr()).toBe('');
});

test("the next service takes over a killed service's PostgreSQL and stops it when it ends itself", async () => {
  other.child.kill('SIGKILL');
  expect(await other.child.exit).toEqual({ code: null, signal: 'SIGKILL' });
  const [left] = await processesNaming(data);
  expect(left).toContain('/postgres');

  await using next = await start();
  expect(await list(next)).toBe(`[${REX}]`);
  await end(next, 'SIGTERM');
  expect(next.child.stderr()).toBe('');
  expect(await isServed()).toBe(false);
});

test('startup fails if the port is in use, before it creates a store', async () => {
  const port = await listenLocally();
  await using folder = await temporaryDirectory();
  const unused = join(folder.path, 'data');
  expect(await failedStart({ DATA_DIR: unused, PORT: String(port) })).toBe(
    `PORT: 127.0.0.1:${port} is already in use; set PORT to a free port`,
  );
  expect(await readdir(folder.path)).toEqual([]);
});

test('startup with a data folder from a different PostgreSQL version fails with a remedy', async () => {
  const version = join(data, 'postgres', 'cluster', 'PG_VERSION');
  const made = await readFile(version, 'utf8');
  await writeFile(version, '17\n');
  const told = await failedStart({ DATA_DIR: data });
  await writeFile(version, made);
  expect(told).toBe(
    `DATA_DIR (${data}) contains a PostgreSQL 17 database, but this version comes with ${made.trim()}: export it with the version that created it, and restore the export (docs/postgresql.md, "Moving to another PostgreSQL")`,
  );
});

test('startup that fails because the port is in use stops the PostgreSQL that it started', async () => {
  const port = await listenLocally();
  expect(await failedStart({ DATA_DIR: data, PORT: String(port) })).toBe(
    `PORT: 127.0.0.1:${port} is already in use; set PORT to a free port`,
  );
  expect(await isServed()).toBe(false);
  // Only what the next start can use remains: no lock and no draft.
  const programs = /^postgresql-/;
  expect((await readdir(data)).filter((name) => !programs.test(name))).toEqual(['postgres']);
  expect((await readdir(join(data, 'postgres'))).toSorted()).toEqual([
    'cluster',
    'log',
    'password',
  ]);
});

test('onLaunched is called when PostgreSQL is started, but not when it already runs', async () => {
  const config = { databaseUrl: undefined, dataDirectory: data };
  const calls: string[] = [];
  const first = await startDatabase(config, { onLaunched: () => calls.push('starting') });
  expect(calls).toEqual(['starting']);
  const second = await startDatabase(config, { onLaunched: () => calls.push('attaching') });
  expect(calls).toEqual(['starting']);
  await second.stop();
  await first.stop();
  expect(await isServed()).toBe(false);
});
