import { openDatabase } from '../support/store-database.ts';
import { expect, test } from 'vitest';
import { keptForFile, onFileFinished } from '../support/clean-up.ts';
import { createKey } from '../support/keys.ts';
import { newDatabase } from '../support/new-database.ts';
import { ask } from '../support/ask.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { runEntry } from '../support/process.ts';
import { startService } from '../support/service.ts';

const databaseUrl = await newDatabase();
const database = openDatabase(databaseUrl);
onFileFinished(() => database.$disconnect());
// All rejected requests come from one address.
const env = { DATABASE_URL: databaseUrl, FAILED_AUTH_LIMIT: 'off' };
const services = await Promise.all([startService(env), startService(env)]);
const stalls = keptForFile(await measureStalls());

const CALLERS = 4;
const CALLS = ['GET /v1/pets', 'GET /v1/pets/1', 'GET /graphql?query={pets{id}}', 'POST /v1/pets'];
const PROMISE = 5000;

/** Runs the command until it exits; returns its output and the time when it exited. */
async function keys(...args: string[]): Promise<{ stdout: string; ended: number }> {
  await using command = runEntry('src/main.ts keys', {
    args,
    env: { DATABASE_URL: databaseUrl },
  });
  const { code } = await command.exit;
  expect(code).toBe(0);
  return { stdout: command.stdout(), ended: performance.now() };
}

/** Sends calls with a key until one gets this status, then sends each call once more. @returns the time of the last success */
async function askUntilRefused(url: string, key: string, refusal: number, begun: () => void) {
  let lastOpened = 0;
  for (let turn = 0; ; turn += 1) {
    const call = CALLS[turn % CALLS.length] ?? '';
    const body = call.startsWith('POST') ? { name: 'Rex', categoryId: 1 } : undefined;
    const { status } = await ask(url, key, call, body);
    if (status === refusal) {
      break;
    }
    expect([200, 201, 404, 503]).toContain(status);
    // On a machine that stalls, a statement may time out.
    if (status === 503) {
      continue;
    }
    lastOpened = performance.now();
    begun();
  }
  const after = await Promise.all(CALLS.map((call) => ask(url, key, call)));
  expect(after.map(({ status }) => status)).toEqual(CALLS.map(() => refusal));
  return lastOpened;
}

test.each([
  ['revoke', (id: string) => ['revoke', id], 401],
  ['rotate', (id: string) => ['rotate', id], 401],
  ['restrict', (id: string) => ['restrict', id, '--origins', 'https://shop.example'], 403],
])(
  '5 s after keys %s exits, every process rejects a key that clients use all the time',
  async (_command, args, refusal) => {
    const { key } = await createKey(database, { name: 'busy' });
    const last = (await keys('list')).stdout.trimEnd().split('\n').at(-1) ?? '';
    const [id = ''] = last.split(' ');
    const callers = services.flatMap(({ url }) =>
      Array.from({ length: CALLERS }, () => {
        const { promise: begun, resolve } = Promise.withResolvers<void>();
        return { begun, lastOpened: askUntilRefused(url, key, refusal, resolve) };
      }),
    );
    await Promise.all(callers.map(({ begun }) => begun));
    const { ended } = await keys(...args(id));
    const latest = Math.max(...(await Promise.all(callers.map(({ lastOpened }) => lastOpened))));
    const stalled = await stalls.totalWithin(ended, latest);
    expect(latest - ended - stalled).toBeLessThan(PROMISE);
  },
);
