import { openDatabase } from '../support/store-database.ts';
import { afterAll, expect, inject, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { ask } from '../support/ask.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { runEntry } from '../support/process.ts';
import { startService } from '../support/service.ts';

const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const database = openDatabase(databaseUrl);
// All that are refused come from one address, and are more than may fail.
const env = { DATABASE_URL: databaseUrl, FAILED_AUTH_LIMIT: 'off' };
const services = await Promise.all([startService(env), startService(env)]);
const stalls = await measureStalls();
afterAll(async () => {
  await stalls[Symbol.asyncDispose]();
  await Promise.all(services.map((service) => service[Symbol.asyncDispose]()));
  await database.$disconnect();
});

const CALLERS = 4;
const CALLS = ['GET /v1/pets', 'GET /v1/pets/1', 'GET /graphql?query={pets{id}}', 'POST /v1/pets'];
const PROMISE = 5000;

/** Runs the command to its end; resolves to what it prints, and when it had ended. */
async function keys(...args: string[]): Promise<{ stdout: string; ended: number }> {
  await using command = runEntry('src/main.ts keys', {
    args,
    env: { DATABASE_URL: databaseUrl },
  });
  const { code } = await command.exit;
  expect(code).toBe(0);
  return { stdout: command.stdout(), ended: performance.now() };
}

/** Asks for one thing after the other with a key until it is refused so; and then for each once more. */
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
    // Where the machine stands still, a statement may take too long: that opens nothing.
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
  'a key that is under way everywhere opens nothing 5 s after the end of keys %s, in any process',
  async (_command, args, refusal) => {
    const { key } = await createKey(database, { name: 'busy' });
    const last = (await keys('list')).stdout.trimEnd().split('\n').at(-1) ?? '';
    const [id = ''] = last.split(' ');
    let waiting = CALLERS * services.length;
    const underWay = Promise.withResolvers<void>();
    const callers = services.flatMap(({ url }) =>
      Array.from({ length: CALLERS }, () => {
        let isCounted = false;
        return askUntilRefused(url, key, refusal, () => {
          waiting -= isCounted ? 0 : 1;
          isCounted = true;
          if (waiting === 0) {
            underWay.resolve();
          }
        });
      }),
    );
    await underWay.promise;
    const { ended } = await keys(...args(id));
    const opened = await Promise.all(callers);
    const latest = Math.max(...opened);
    const stalled = await stalls.totalWithin(ended, latest);
    expect(latest - ended - stalled).toBeLessThan(PROMISE);
  },
);
