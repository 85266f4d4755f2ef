import { Client } from 'pg';
import { createBackendReaper, createPool, REQUEST_TIMEOUTS } from '@store-gateway/postgres';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../support/database.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { startOutagePostgres } from '../support/outage-postgres.ts';
import { requestOf } from '../support/gateway.ts';
import { firstKey, startService } from '../support/service.ts';

const postgres = await startOutagePostgres();
const stalls = await measureStalls();
afterAll(async () => {
  await stalls[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

/** Asks without a key. */
async function probe(path: string, url: string) {
  const answer = await fetch(url + path);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

test.each([
  { what: 'crashes', goAway: postgres.crash, comeBack: postgres.start },
  { what: 'freezes', goAway: postgres.freeze, comeBack: postgres.thaw },
])(
  'while a database that $what is away the process is alive but not ready, and says so once in its log',
  async ({ goAway, comeBack }) => {
    const databaseUrl = await createDatabase(postgres.url);
    await using service = await startService({ DATABASE_URL: databaseUrl });
    // With which the start is over.
    await firstKey(service);
    const told = async () => (await probe('/readyz', service.url)).text;
    expect(await told()).toBe('ready\n');
    await goAway();
    await expect.poll(told).not.toBe('ready\n');
    const asked = performance.now();
    const { status, headers, text } = await probe('/readyz', service.url);
    const answered = performance.now();
    expect(answered - asked - (await stalls.totalWithin(asked, answered))).toBeLessThan(2000);
    expect([status, headers.get('Retry-After'), text]).toEqual([
      503,
      '1',
      'not ready: the database cannot be used\n',
    ]);
    expect((await probe('/livez', service.url)).text).toBe('alive\n');
    // So often that the database is asked again.
    let asks = 0;
    await expect
      .poll(
        async () => {
          await told();
          asks += 1;
          return asks;
        },
        { timeout: 20_000 },
      )
      .toBe(5);
    await comeBack();
    await expect.poll(told).toBe('ready\n');
    await service.child.line('stdout', (line) => line.includes('"msg":"ready again"'));

    const output = service.child.stdout();
    expect(output.match(/"msg":"not ready: the database cannot be used"/g)).toHaveLength(1);
    expect(output.match(/"msg":"ready again"/g)).toHaveLength(1);
    // No line for each probe.
    expect(output).not.toMatch(/livez|readyz/);
  },
);

test('while its database is a standby a process answers nothing, because it would be stale, until that one is promoted', async () => {
  const databaseUrl = await createDatabase(postgres.url);
  await using service = await startService({ DATABASE_URL: databaseUrl });
  const request = requestOf(service.url, await firstKey(service));
  const told = async () => (await probe('/readyz', service.url)).text;
  const create = () =>
    request('/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Rex","categoryId":1}',
    });
  expect(await create()).toMatchObject({ status: 201 });
  await postgres.crash();
  await postgres.standBy();
  await postgres.start();
  await expect.poll(told).toBe('not ready: the database is a standby\n');
  const refusal = { status: 503, json: { code: 'SERVICE_UNAVAILABLE' } };
  expect(await request('/v1/pets')).toMatchObject(refusal);
  expect(await create()).toMatchObject(refusal);

  // A pool of replicas takes it, and keeps it when it is promoted.
  const reaper = createBackendReaper();
  const options = { max: 1, timeouts: REQUEST_TIMEOUTS, applicationName: 'test', reaper } as const;
  const replicas = createPool(databaseUrl, { name: 'replicas', role: 'replica', ...options });
  onTestFinished(() => replicas.end());
  const state = 'SELECT pg_is_in_recovery() AS standby, pg_backend_pid() AS pid';
  const { rows: before } = await replicas.query<{ standby: boolean; pid: number }>(state);
  expect(before).toMatchObject([{ standby: true }]);

  const operator = new Client(postgres.url);
  await operator.connect();
  await operator.query('SELECT pg_promote()');
  await operator.end();
  await expect.poll(told).toBe('ready\n');
  await expect.poll(async () => (await create()).status).toBe(201);
  expect((await request('/v1/pets')).json).toMatchObject([{ name: 'Rex' }, { name: 'Rex' }]);
  expect((await replicas.query(state)).rows).toEqual([{ standby: false, pid: before[0]?.pid }]);
});
