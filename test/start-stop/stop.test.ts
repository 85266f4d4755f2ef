import { once } from 'node:events';
import { Agent, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { runEntry, type ChildEntry } from '../support/process.ts';
import {
  beginPost,
  openIdleConnection,
  startService,
  stopping,
  type Service,
} from '../support/service.ts';

const agent = new Agent({ keepAlive: true });
afterAll(() => {
  agent.destroy();
});

async function start(): Promise<Service> {
  const url = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  return startService({ DATABASE_URL: url });
}

test.each([
  {
    signal: 'SIGTERM',
    path: '/v1/pets',
    body: '{"name":"Rex","categoryId":1}',
    expected: [201, '{"id":1,"name":"Rex","categoryId":1,"status":"available"}'],
  },
  {
    signal: 'SIGINT',
    path: '/graphql',
    body: '{"query":"mutation { createPet(input: { name: \\"Rex\\", categoryId: 1 }) { id } }"}',
    expected: [200, '{"data":{"createPet":{"id":"1"}}}'],
  },
] as const)(
  'on $signal a request to $path is answered, as the last on its connection, before the end',
  async ({ signal, path, body, expected }) => {
    await using service = await start();
    const begun = await beginPost(service, path, agent);
    service.child.kill(signal);
    // Ctrl-C comes twice, from the terminal and from npm. Another one, since of the same the kernel makes one.
    service.child.kill(signal === 'SIGINT' ? 'SIGTERM' : 'SIGINT');
    await stopping(service);

    const response = new Promise<IncomingMessage>((resolve, reject) => {
      begun.once('response', resolve).once('error', reject);
    });
    begun.end(body);
    const answer = await response;
    expect([answer.statusCode, await text(answer)]).toEqual(expected);
    expect(answer.headers.connection).toBe('close');
    expect(await service.child.exit).toEqual({ code: 0, signal: null });
  },
);

test.each([
  { signal: 'SIGTERM', code: 143 },
  { signal: 'SIGINT', code: 130 },
] as const)(
  'told by $signal once more it ends at once, with exit code $code',
  async ({ signal, code }) => {
    await using service = await start();
    const begun = await beginPost(service, '/v1/pets');
    const cutOff = once(begun, 'error');
    const idle = await openIdleConnection(service);
    service.child.kill(signal);
    // It is closed when the time is over in which a signal counts as the same one.
    await once(idle.resume(), 'close');
    service.child.kill(signal);
    expect(await service.child.exit).toEqual({ code, signal: null });
    await cutOff;
    const fatal = service.child
      .stdout()
      .split('\n')
      .filter((line) => line.includes('"level":60'));
    expect(fatal.map((line): unknown => JSON.parse(line))).toMatchObject([
      { signal, msg: 'told to stop once more: ended at once' },
    ]);
  },
);

test('a client that never ends its request does not hold up the end', async () => {
  await using service = await start();
  const begun = await beginPost(service, '/v1/pets');
  const cutOff = once(begun, 'error');
  service.child.kill('SIGTERM');
  expect(await cutOff).toEqual([expect.objectContaining({ code: 'ECONNRESET' })]);
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
});

/** A service that starts on an empty database, where a statement of the test's keeps it waiting. */
async function startWaiting(statement: string) {
  const url = await createDatabase(inject('postgresUrl'));
  const client = new Client(url);
  onTestFinished(() => client.end());
  await client.connect();
  await client.query(statement);
  const child = runEntry('src/main.ts', { env: { DATABASE_URL: url, PORT: '0' } });
  const waiting = `SELECT FROM pg_locks
    WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`;
  await expect
    .poll(() => client.query(waiting), { timeout: 20_000 })
    .toMatchObject({ rowCount: 1 });
  return { child, client };
}

/** The one line of the log; expects that there is nothing else. */
function onlyLine(child: ChildEntry): unknown {
  expect(child.stderr()).toBe('');
  return JSON.parse(child.stdout());
}

test('told to stop while another process migrates its database, a service ends at once', async () => {
  // The lock under which databases are migrated.
  const { child } = await startWaiting('SELECT pg_advisory_lock(72707369)');
  child.kill('SIGTERM');
  expect(await child.exit).toEqual({ code: 0, signal: null });
  expect(onlyLine(child)).toMatchObject({
    level: 30,
    reason: 'It was told to stop before the database was migrated.',
    msg: 'stopped before it was up',
  });
});

test('told to stop while it migrates its database, a service does that and no more', async () => {
  // What the first migration makes, too.
  const { child, client } = await startWaiting('BEGIN; CREATE TYPE pet_status AS ENUM ()');
  child.kill('SIGTERM');
  await client.query('ROLLBACK');
  expect(await child.exit).toEqual({ code: 0, signal: null });
  expect(onlyLine(child)).toMatchObject({ level: 30, msg: 'stopped before it was up' });
  const unfinished = 'SELECT FROM _prisma_migrations WHERE finished_at IS NULL';
  expect(await client.query(unfinished)).toMatchObject({ rowCount: 0 });
  // Its first key would have been shown to nobody.
  expect((await client.query('SELECT FROM api_keys')).rowCount).toBe(0);
});
