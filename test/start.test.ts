import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startDatabase } from '../src/database/start.ts';
import { processesNaming } from './support/process-list.ts';
import { firstKey, startService, type Service } from './support/service.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const ENDED_WELL = { code: 0, signal: null };
/** For a machine without curl. */
const CURL_STAND_IN = `command -v curl >/dev/null || curl() { '${process.execPath}' -e '
  const [, header, url] = process.argv.slice(-3);
  const headers = [header.split(": ")];
  fetch(url, { headers }).then(async (answer) => process.stdout.write(await answer.text()));
' -- "$@"; }`;
const REX = '{"id":1,"name":"Rex","categoryId":1,"status":"available"}';

async function list({ url }: Service, key: string): Promise<string> {
  return (await fetch(`${url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } })).text();
}

async function add({ url }: Service, key: string): Promise<string> {
  const answer = await fetch(`${url}/v1/pets`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: '{"name":"Rex","categoryId":1}',
  });
  return answer.text();
}

/** Ends a service as Ctrl-C or a supervisor does. */
async function end({ child }: Service, signal: 'SIGINT' | 'SIGTERM'): Promise<void> {
  child.kill(signal);
  expect(await child.exit).toEqual(ENDED_WELL);
}

/** The process number of a data folder's PostgreSQL. */
async function serverOf(dataDirectory: string): Promise<number> {
  const lock = join(dataDirectory, 'postgres', 'cluster', 'postmaster.pid');
  return Number.parseInt(await readFile(lock, 'utf8').catch(() => ''), 10);
}

/** Whether a PostgreSQL runs on a data folder. */
async function isServed(dataDirectory: string): Promise<boolean> {
  const running = (await processesNaming(dataDirectory)).length > 0;
  expect(Number.isInteger(await serverOf(dataDirectory))).toBe(running);
  return running;
}

test('the first start makes a database and a key, and shows it once, with a call that works as it is', async () => {
  await using directory = await temporaryDirectory();
  // Made by the start, spaces and all.
  const data = join(directory.path, 'my store', 'data');

  await using first = await startService({ DATA_DIR: data });
  const key = await firstKey(first);
  const curl = await first.child.line('stderr', (line) => line.startsWith('  curl '));
  await first.child.line('stderr', (line) => line.startsWith('More keys'));
  expect(first.child.stderr()).toBe(`
This is a new store. Its first API key, shown this once:

  API_KEY=${key}

With that line pasted into a shell, list the animals, of which there are none yet:

${curl}

GraphQL, and its playground in a browser: ${first.url}/graphql
More keys: npm run --silent keys -- --help

`);
  const script = `${CURL_STAND_IN}\nAPI_KEY=${key}\n${curl}`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script]);
  expect(stdout).toBe('[]');
  expect(await add(first, key)).toBe(REX);
  await end(first, 'SIGINT');
  expect(await isServed(data)).toBe(false);
  expect(first.child.stdout()).not.toContain(key.slice(4, 12));

  await using second = await startService({ DATA_DIR: data });
  expect(await list(second, key)).toBe(`[${REX}]`);
  await end(second, 'SIGTERM');
  expect(second.child.stderr()).toBe('');
  expect(await isServed(data)).toBe(false);
});

test('two services share a data folder, from the first start on, and the last one ends PostgreSQL', async () => {
  await using data = await temporaryDirectory();
  const start = () => startService({ DATA_DIR: data.path });
  const services = await Promise.all([start(), start()]);
  const [one, other] = services;
  const key = await Promise.race(services.map(firstKey));
  expect(await add(one, key)).toBe(REX);
  expect(await list(other, key)).toBe(`[${REX}]`);

  await end(one, 'SIGTERM');
  expect(await isServed(data.path)).toBe(true);
  expect(await list(other, key)).toBe(`[${REX}]`);
  await end(other, 'SIGTERM');
  expect(await isServed(data.path)).toBe(false);
  // One made the key and showed it; nothing was amiss for either.
  const [none, shown] = services.map(({ child }) => child.stderr()).toSorted();
  expect(none).toBe('');
  expect(shown).toContain(key);
});

test('a service takes over what one that was killed has left behind', async () => {
  await using data = await temporaryDirectory();
  await using killed = await startService({ DATA_DIR: data.path });
  const key = await firstKey(killed);
  expect(await add(killed, key)).toBe(REX);
  killed.child.kill('SIGKILL');
  expect(await killed.child.exit).toEqual({ code: null, signal: 'SIGKILL' });
  const [left] = await processesNaming(data.path);
  expect(left).toContain('/postgres');

  await using next = await startService({ DATA_DIR: data.path });
  expect(await list(next, key)).toBe(`[${REX}]`);
  expect(next.child.stderr()).toBe('');
  await end(next, 'SIGTERM');
  expect(await isServed(data.path)).toBe(false);
});

test('a service starts its PostgreSQL again when that is lost', async () => {
  await using data = await temporaryDirectory();
  await using service = await startService({ DATA_DIR: data.path });
  const key = await firstKey(service);
  expect(await add(service, key)).toBe(REX);
  const lost = await serverOf(data.path);
  process.kill(lost, 'SIGKILL');
  await expect
    .poll(() => serverOf(data.path), { timeout: 20_000 })
    .not.toBeOneOf([lost, Number.NaN]);
  // Whatever comes meanwhile is 503; test/outage.test.ts has more of that.
  await expect.poll(() => list(service, key), { timeout: 20_000 }).toBe(`[${REX}]`);
  await end(service, 'SIGTERM');
  expect(await isServed(data.path)).toBe(false);
});

test('there is time for something else while PostgreSQL starts, and none when it runs', async () => {
  await using data = await temporaryDirectory();
  const config = { databaseUrl: undefined, dataDirectory: data.path };
  const calls: string[] = [];
  const first = await startDatabase(config, () => calls.push('starting'));
  expect(calls).toEqual(['starting']);
  const second = await startDatabase(config, () => calls.push('attaching'));
  expect(calls).toEqual(['starting']);
  await second.stop();
  await first.stop();
  expect(await isServed(data.path)).toBe(false);
});
