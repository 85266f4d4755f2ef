import { expect, onTestFinished, test, vi } from 'vitest';
import { listen, DEFAULT_TIMEOUTS } from '@store-gateway/http';
import { createDatabaseHealth } from '../../packages/gateway/src/commands/serve-requests.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const gateway = await startGateway();

/** Sends a request without a key. */
async function probe(path: string, init: RequestInit = {}, url = gateway.url) {
  const answer = await fetch(url + path, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

test.each([
  ['/livez', 'alive\n'],
  ['/readyz', 'ready\n'],
  ['/readyz?verbose', 'ready\n'],
])(
  'GET and HEAD %s return %j without a key, with the expected headers and no others',
  async (path, expected) => {
    for (const [method, body] of [
      ['GET', expected],
      ['HEAD', ''],
    ] as const) {
      const { status, headers, text } = await probe(path, {
        method,
        headers: { 'X-Request-Id': 'probe' },
      });
      expect([status, text]).toEqual([200, body]);
      const { date, 'keep-alive': _keepAlive, ...rest } = Object.fromEntries(headers);
      expect(date).toBeDefined();
      expect(rest).toEqual({
        'cache-control': 'no-store',
        // After a HEAD, fetch closes the connection.
        connection: method === 'GET' ? 'keep-alive' : 'close',
        'content-length': String(expected.length),
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'x-request-id': 'probe',
      });
    }
  },
);

test.each(['/livez', '/readyz'])(
  '%s returns 405 for methods other than GET, HEAD and OPTIONS',
  async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, headers, text } = await probe(path, { method });
      const message = 'This address accepts GET, HEAD, OPTIONS';
      expect([status, headers.get('Allow'), text]).toEqual([
        405,
        'GET, HEAD, OPTIONS',
        errorBody(405, 'METHOD_NOT_ALLOWED', message),
      ]);
    }
    const headers = { Accept: 'application/problem+json' };
    const problem = await probe(path, { method: 'POST', headers });
    expect(problem.headers.get('Content-Type')).toBe('application/problem+json');
    expect(problem.headers.get('Vary')).toContain('Accept');
    expect(JSON.parse(problem.text)).toMatchObject({ code: 'METHOD_NOT_ALLOWED', status: 405 });
  },
);

test.each(['/livez/', '/livezz', '/LIVEZ', '/v1/livez', '/readyz/all'])(
  'a path that only resembles a probe, %s, returns 404',
  async (path) => {
    expect((await probe(path)).status).toBe(404);
  },
);

test('a request target in absolute form works (RFC 9112, 3.2.2)', async () => {
  const { status, text } = await nodeRequest(gateway, `${gateway.url}/readyz`);
  expect([status, text]).toEqual([200, 'ready\n']);
});

async function readinessAt(url: string): Promise<string> {
  return (await probe('/readyz', {}, url)).text;
}

/** Serves probes for a fake database, with a clock that the test advances. */
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
    await close();
  });
  return {
    readiness: () => readinessAt(url),
    /** Advances the clock until the database is queried again. */
    later: () => vi.advanceTimersByTime(100),
  };
}

test('a worker is not ready until all workers are serving', async () => {
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

test('concurrent probes share one database query, and later probes send another one', async () => {
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

test.each([
  ['pets', 'TO'],
  ['pets', 'COLUMN status TO'],
  ['_gateway_api_keys', 'TO'],
  ['_gateway_idempotency_keys', 'TO'],
  ['_gateway_deprecated_calls', 'TO'],
  ['_gateway_trusted_documents', 'TO'],
  ['_gateway_rate_limit_counts', 'TO'],
])(
  'a process is not ready after ALTER TABLE %s RENAME %s a different name',
  async (table, part) => {
    const { url, database } = gateway;
    await expect.poll(() => readinessAt(url)).toBe('ready\n');
    await database.$executeRawUnsafe(`ALTER TABLE ${table} RENAME ${part} away`);
    await expect
      .poll(() => readinessAt(url))
      .toBe('not ready: the database lacks a table or a column\n');
    const back =
      part === 'TO' ? `away RENAME TO ${table}` : `${table} RENAME COLUMN away TO status`;
    await database.$executeRawUnsafe(`ALTER TABLE ${back}`);
    await expect.poll(() => readinessAt(url)).toBe('ready\n');
  },
);
