import { expect, onTestFinished, test, vi } from 'vitest';
import { listen, DEFAULT_TIMEOUTS } from '@store-gateway/http';
import { log } from '@store-gateway/ops';
import { createDatabaseHealth } from '../../packages/gateway/src/commands/serve-requests.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

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
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const { status, headers, text } = await probe(path, { method });
    expect([status, headers.get('Allow'), text]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      errorBody(405, 'METHOD_NOT_ALLOWED', 'This address accepts GET, HEAD, OPTIONS'),
    ]);
  }
});

test('the error for another method of a probe is problem details if the client asks for them', async () => {
  const { status, headers, text } = await probe('/readyz', {
    method: 'POST',
    headers: { Accept: 'application/problem+json' },
  });
  expect([status, headers.get('Content-Type')]).toEqual([405, 'application/problem+json']);
  expect(headers.get('Vary')).toContain('Accept');
  expect(JSON.parse(text)).toMatchObject({ code: 'METHOD_NOT_ALLOWED', status: 405 });
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

async function readinessAt(url: string): Promise<string> {
  return (await probe('/readyz', {}, url)).text;
}

/** Answers probes, of a database that the test pings in its place; the clock is set forward by the test. */
async function startProbed(
  $ping: () => Promise<void>,
  onProbe = () => {},
  complete?: Promise<void>,
) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const health = createDatabaseHealth({ $ping }, complete);
  const { url, close } = await listen(
    (request, response) => {
      health.answer(request.url ?? '', response, () => Promise.resolve());
      onProbe();
    },
    {
      host: '127.0.0.1',
      port: 0,
      maximumConnections: 100,
      timeouts: { ...DEFAULT_TIMEOUTS, idleAtShutdown: 1 },
    },
  );
  onTestFinished(async () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    await close();
  });
  return {
    url,
    readiness: () => readinessAt(url),
    /** Until the database is asked again. */
    later: () => vi.advanceTimersByTime(100),
  };
}

test('a worker is not ready before all of them serve', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { readiness, later } = await startProbed(
    () => Promise.resolve(),
    () => {},
    promise,
  );
  expect(await readiness()).toBe('not ready: some workers are still starting\n');
  resolve();
  await promise;
  later();
  expect(await readiness()).toBe('ready\n');
});

test('the database is asked once for all who ask before it answers or in a moment after, and again later', async () => {
  const allAsked = Promise.withResolvers<void>();
  let pings = 0;
  let probes = 0;
  const { readiness, later } = await startProbed(
    async () => {
      pings += 1;
      await allAsked.promise;
    },
    () => {
      probes += 1;
      if (probes === 20) {
        allAsked.resolve();
      }
    },
  );
  const answers = await Promise.all(Array.from({ length: 20 }, readiness));
  expect(new Set(answers)).toEqual(new Set(['ready\n']));
  await readiness();
  expect(pings).toBe(1);
  later();
  await readiness();
  expect(pings).toBe(2);
});

test('while its database is away the process is alive but not ready, and says so once in its log', async () => {
  const [warn, info] = [vi.spyOn(log, 'warn'), vi.spyOn(log, 'info')];
  const away = new Error('away');
  let isAway = false;
  const { url, readiness, later } = await startProbed(async () => {
    if (isAway) {
      throw away;
    }
  });
  expect(await readiness()).toBe('ready\n');
  isAway = true;
  for (let asks = 0; asks < 3; asks += 1) {
    later();
    const { status, headers, text } = await probe('/readyz', {}, url);
    expect([status, headers.get('Retry-After'), text]).toEqual([
      503,
      '1',
      'not ready: the database cannot be used\n',
    ]);
  }
  expect((await probe('/livez', {}, url)).text).toBe('alive\n');
  isAway = false;
  later();
  expect(await readiness()).toBe('ready\n');
  expect(warn.mock.calls).toEqual([[{ err: away }, 'not ready: the database cannot be used']]);
  expect(info.mock.calls).toEqual([['ready again']]);
});

test.each([
  ['pets', 'TO'],
  ['pets', 'COLUMN status TO'],
  ['_gateway_api_keys', 'TO'],
  ['_gateway_idempotency_keys', 'TO'],
  ['_gateway_deprecated_calls', 'TO'],
  ['_gateway_trusted_documents', 'TO'],
  ['_gateway_rate_limit_counts', 'TO'],
])('a process is not ready after ALTER TABLE %s RENAME %s another name', async (table, part) => {
  const { url, database } = gateway;
  await expect.poll(() => readinessAt(url)).toBe('ready\n');
  await database.$executeRawUnsafe(`ALTER TABLE ${table} RENAME ${part} away`);
  await expect
    .poll(() => readinessAt(url))
    .toBe('not ready: the database lacks a table or a column\n');
  const back = part === 'TO' ? `away RENAME TO ${table}` : `${table} RENAME COLUMN away TO status`;
  await database.$executeRawUnsafe(`ALTER TABLE ${back}`);
  await expect.poll(() => readinessAt(url)).toBe('ready\n');
});
