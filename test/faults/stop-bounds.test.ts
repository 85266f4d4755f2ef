import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { keptForFile } from '../support/clean-up.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { createDatabase } from '../support/database.ts';
import { startOutagePostgres, embeddedPostgres } from '../support/embedded-postgres.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { processesNaming } from '../support/process-list.ts';
import { runEntry } from '../support/process.ts';
import { head } from '../support/raw-connection.ts';
import { firstKey, startService, type Service } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const ENDED_WELL = { code: 0, signal: null };

const postgres = keptForFile(await startOutagePostgres());
const stalls = keptForFile(await measureStalls());

/** Calls a deprecated route, so that a count must be written during the shutdown. */
async function callDeprecated({ url, child }: Service, key: string): Promise<void> {
  const call = async () => {
    const answer = await fetch(`${url}/v1/pets/1`, { headers: { Authorization: `Bearer ${key}` } });
    expect(answer.headers.has('Deprecation')).toBe(true);
    await answer.text();
  };
  await call();
  // The first call is written at once. Only the next call waits to be written.
  await child.line('stdout', (line) => line.includes('deprecated field called'));
  await call();
}

/** Starts a request that is never completed. */
async function hang({ url }: Service): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('POST /v1/pets HTTP/1.1\r\nHost: localhost\r\n');
}

/** Expects a clean exit within 10 s of SIGTERM, not counting time in which the machine stalls. */
async function expectEndInTime({ child }: Pick<Service, 'child'>): Promise<void> {
  const told = performance.now();
  child.kill('SIGTERM');
  expect(await child.exit).toEqual(ENDED_WELL);
  const elapsed = performance.now() - told;
  expect(elapsed - (await stalls.totalWithin(told))).toBeLessThan(10_000);
}

test('neither a frozen database nor a client that hangs delays the shutdown', async () => {
  const databaseUrl = await createDatabase(postgres.url);
  await using service = await startService({ DATABASE_URL: databaseUrl });
  const key = await firstKey(service);
  await callDeprecated(service, key);
  await hang(service);
  await postgres.freeze();
  onTestFinished(postgres.thaw);
  const underWay = fetch(`${service.url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } });
  await expectEndInTime(service);
  expect((await underWay).status).toBe(503);
});

/** Sends bytes on a new connection, which is replaced whenever it is closed, until the test is over. */
function flood({ url }: Service, bytes: string, { reads }: { readonly reads: boolean }): void {
  const { hostname, port } = new URL(url);
  let over = false;
  const open = (): void => {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => {
      over = true;
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (!over) {
        setTimeout(open, 10);
      }
    });
    socket.write(bytes);
    if (reads) {
      socket.resume();
    }
  };
  open();
}

test('floods, endless bodies and clients that do not read do not delay the shutdown', async () => {
  await using service = await startService({ DATABASE_URL: await createDatabase(postgres.url) });
  const authorization = `Authorization: Bearer ${await firstKey(service)}`;
  const lists = head('GET /v1/pets?limit=100', authorization).repeat(500);
  const body = head('POST /v1/pets', authorization, 'Content-Length: 1000');
  const pages = head('GET /assets/graphiql/graphiql.js').repeat(1000);
  for (let client = 0; client < 100; client += 1) {
    flood(service, lists, { reads: true });
    flood(service, body, { reads: true });
    flood(service, pages, { reads: false });
  }
  // Wait until the service is processing the requests.
  await service.child.line('stdout', (line) => line.includes('"path":"/v1/pets","status":200'));
  await expectEndInTime(service);
  expect(service.child.stdout()).not.toContain('shutdown timed out');
});

test('a database that freezes while the service starts does not delay the shutdown', async () => {
  await using proxy = await startDatabaseProxy(await createDatabase(postgres.url));
  // The database answers nothing, not even the first statement.
  proxy.hold();
  await using child = runEntry('src/main.ts', { env: { DATABASE_URL: proxy.url, PORT: '0' } });
  await proxy.holding();
  await expectEndInTime({ child });
  const [line] = child.stdout().split('\n').slice(-2);
  expect(JSON.parse(line ?? '')).toMatchObject({
    level: 30,
    reason: 'Stopped before the database was migrated.',
    msg: 'stopped before startup had finished',
  });
  expect(child.stdout()).not.toContain('listening');
});

test('a frozen embedded PostgreSQL is left running, and the next start takes it over', async () => {
  await using data = await temporaryDirectory();
  await using service = await startService({ DATA_DIR: data.path });
  await callDeprecated(service, await firstKey(service));
  // Each delay takes time. In sequence, all delays would exceed the limit.
  await hang(service);
  const own = await embeddedPostgres(data.path);
  const thaw = await own.freeze();
  onTestFinished(thaw);
  await expectEndInTime(service);
  thaw();
  await using next = await startService({ DATA_DIR: data.path });
  next.child.kill('SIGTERM');
  expect(await next.child.exit).toEqual(ENDED_WELL);
  expect(await processesNaming(data.path)).toEqual([]);
});
