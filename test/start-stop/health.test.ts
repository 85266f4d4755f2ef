import type { RequestListener } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { answerProbes, createHealth } from '../../src/app/health.ts';
import { listen } from '../../src/app/listen.ts';
import { createDatabase } from '../support/database.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';
import { startOutagePostgres } from '../support/outage-postgres.ts';
import { firstKey, startService } from '../support/service.ts';

const gateway = await startGateway();

/** Asks without a key. */
async function probe(path: string, init: RequestInit = {}, url = gateway.url) {
  const answer = await fetch(url + path, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

test.each([
  ['/livez', 'alive\n'],
  ['/readyz', 'ready\n'],
  ['/readyz?verbose', 'ready\n'],
])('GET %s says %j to whoever asks, with these headers and no others', async (path, expected) => {
  const { status, headers, text } = await probe(path, { headers: { 'X-Request-Id': 'probe' } });
  expect([status, text]).toEqual([200, expected]);
  const { date, 'keep-alive': _keepAlive, ...rest } = Object.fromEntries(headers);
  expect(date).toBeDefined();
  expect(rest).toEqual({
    'cache-control': 'no-store',
    connection: 'keep-alive',
    'content-length': String(expected.length),
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'x-request-id': 'probe',
  });
});

test.each(['/livez', '/readyz'])('HEAD %s has the headers of GET', async (path) => {
  const head = await probe(path, { method: 'HEAD' });
  const get = await probe(path);
  expect([head.status, head.text]).toEqual([200, '']);
  const names = ['Content-Length', 'Content-Type', 'Cache-Control', 'X-Content-Type-Options'];
  expect(names.map((name) => head.headers.get(name))).toEqual(
    names.map((name) => get.headers.get(name)),
  );
});

test.each(['/livez', '/readyz'])('%s takes no other methods', async (path) => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const { status, headers, text } = await probe(path, { method });
    expect([status, headers.get('Allow'), text]).toEqual([
      405,
      'GET, HEAD',
      errorBody(405, 'METHOD_NOT_ALLOWED', 'This address takes GET, HEAD'),
    ]);
  }
});

test.each(['/livez/', '/livezz', '/LIVEZ', '/v1/livez', '/readyz/all'])(
  '%s is nothing',
  async (path) => {
    expect((await probe(path)).status).toBe(404);
  },
);

test('an address with its host in it is the same (RFC 9112, 3.2.2)', async () => {
  const { status, text } = await nodeRequest(gateway, `${gateway.url}/readyz`);
  expect([status, text]).toEqual([200, 'ready\n']);
});

test('the database is asked once for all who ask in a moment, and again later', async () => {
  const asking = Array.from({ length: 20 }, () => '/readyz');
  const allHere = Promise.withResolvers<void>();
  let pings = 0;
  const health = createHealth({
    $ping: async () => {
      pings += 1;
      await allHere.promise;
    },
  });
  const probes = answerProbes((_request, response) => response.end(), health);
  let here = 0;
  const countThem: RequestListener = (request, response) => {
    probes(request, response);
    here += 1;
    if (here === asking.length) {
      allHere.resolve();
    }
  };
  const { url, close } = await listen(countThem, {
    host: '127.0.0.1',
    port: 0,
    maximumConnections: 100,
  });
  const answers = await Promise.all(asking.map((path) => probe(path, {}, url)));
  expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['ready\n']));
  expect(pings).toBe(1);
  await expect
    .poll(async () => {
      await probe('/readyz', {}, url);
      return pings;
    })
    .toBe(2);
  await close();
});

/** What the gateway of this file says. */
async function readiness(): Promise<string> {
  return (await probe('/readyz')).text;
}

test('a database without one of the tables is not ready', async () => {
  const { database } = gateway;
  await database.$executeRaw`ALTER TABLE pets RENAME TO away`;
  await expect.poll(readiness).toBe('not ready: the database cannot be used\n');
  await database.$executeRaw`ALTER TABLE away RENAME TO pets`;
  await expect.poll(readiness).toBe('ready\n');
});

const postgres = await startOutagePostgres();
afterAll(() => postgres[Symbol.asyncDispose]());

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
    const told = async () => (await probe('/readyz', {}, service.url)).text;
    expect(await told()).toBe('ready\n');
    await goAway();
    await expect.poll(told, { timeout: 10_000 }).not.toBe('ready\n');
    const asked = performance.now();
    const { status, headers, text } = await probe('/readyz', {}, service.url);
    expect(performance.now() - asked).toBeLessThan(2000);
    expect([status, headers.get('Retry-After'), text]).toEqual([
      503,
      '1',
      'not ready: the database cannot be used\n',
    ]);
    expect((await probe('/livez', {}, service.url)).text).toBe('alive\n');
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
    await expect.poll(told, { timeout: 10_000 }).toBe('ready\n');
    await service.child.line('stdout', (line) => line.includes('"msg":"ready again"'));

    const output = service.child.stdout();
    expect(output.match(/"msg":"not ready: the database cannot be used"/g)).toHaveLength(1);
    expect(output.match(/"msg":"ready again"/g)).toHaveLength(1);
    // No line for each probe.
    expect(output).not.toMatch(/livez|readyz/);
  },
);

test('at the level debug each probe is a line, under its X-Request-Id', async () => {
  await using service = await startService({
    DATABASE_URL: gateway.databaseUrl,
    LOG_LEVEL: 'debug',
  });
  await probe('/livez', { headers: { 'X-Request-Id': 'probe:1' } }, service.url);
  const line: unknown = JSON.parse(
    await service.child.line('stdout', (text) => text.includes('"msg":"probe"')),
  );
  expect(line).toMatchObject({ level: 20, requestId: 'probe:1', path: '/livez', status: 200 });
});
