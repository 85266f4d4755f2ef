import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startMeasuredService } from '../support/measured-service.ts';
import { failedStart, startService } from '../support/service.ts';

const newDatabase = () => createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const service = await startMeasuredService({ DATABASE_URL: await newDatabase() });
const { metricsUrl } = service;

async function ask(url: string, method = 'GET') {
  const answer = await fetch(url, { method });
  const text = await answer.text();
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text };
}

test('GET /metrics answers in Prometheus text format, without a key', async () => {
  const { status, headers, text } = await ask(`${metricsUrl}?any=query`);
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'content-length': String(text.length),
    'x-content-type-options': 'nosniff',
  });
  expect(text).toContain(
    '# HELP http_server_active_requests Requests that are being answered.\n# TYPE http_server_active_requests gauge\nhttp_server_active_requests 0\n',
  );
});

test('HEAD /metrics answers like GET, without the body', async () => {
  const { status, headers, text } = await ask(metricsUrl, 'HEAD');
  expect({ status, text }).toEqual({ status: 200, text: '' });
  expect(Number(headers['content-length'])).toBeGreaterThan(1000);
});

test.each(['POST', 'DELETE', 'OPTIONS'])('%s /metrics is 405, with Allow', async (method) => {
  const { status, headers } = await ask(metricsUrl, method);
  expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
});

test.each(['/', '/metrics/', '/metric', '/v1/pets', '/graphql'])(
  '%s is 404 there',
  async (path) => {
    expect((await ask(new URL(path, metricsUrl).href)).status).toBe(404);
  },
);

test('the service itself has no metrics', async () => {
  expect((await ask(`${service.url}/metrics`)).status).toBe(404);
});

test('metrics end with the service, whoever is connected', async () => {
  const ending = await startMeasuredService({ DATABASE_URL: await newDatabase() });
  const { hostname, port } = new URL(ending.metricsUrl);
  const scraper = connect(Number(port), hostname);
  scraper.on('error', () => undefined).write('GET /metrics HTTP/1.1\r\n');
  await once(scraper, 'connect');
  await ending.scrape();
  ending.child.kill('SIGTERM');
  expect(await ending.child.exit).toEqual({ code: 0, signal: null });
  expect(ending.child.stdout()).not.toContain('ended without waiting');
  await expect(fetch(ending.metricsUrl)).rejects.toThrow('fetch failed');
});

test('a METRICS_PORT in use is told, and nothing is started', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    taken.close();
  });
  await once(taken, 'listening');
  const address = taken.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  expect(await failedStart({ METRICS_PORT: port, DATABASE_URL: await newDatabase() })).toBe(
    `METRICS_PORT: 127.0.0.1:${port} is in use already; set METRICS_PORT to a free one`,
  );
});

test('a METRICS_HOST of another machine is told', async () => {
  // An address for documentation, which no machine has (RFC 5737).
  const env = { METRICS_PORT: '0', METRICS_HOST: '192.0.2.1', DATABASE_URL: await newDatabase() };
  expect(await failedStart(env)).toBe(
    'METRICS_HOST: cannot listen on 192.0.2.1:0 (EADDRNOTAVAIL); set METRICS_HOST to an address of this machine',
  );
});

/** Tells on stderr each module of OpenTelemetry's metrics that is loaded. */
const TELL_MODULES = `
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      if (/sdk-metrics|exporter-prometheus|src.metrics.(?!measurements)/.test(url)) console.error('loaded', url);
      return next(url, context);
    },
  });`;

test.each([
  ['without METRICS_PORT, nothing of it is loaded', {}, false],
  ['with METRICS_PORT, the same check finds it', { METRICS_PORT: '0' }, true],
])('%s', async (_what, env, isLoaded) => {
  const NODE_OPTIONS = `--import "data:text/javascript,${encodeURIComponent(TELL_MODULES)}"`;
  const { child } = await startService({ DATABASE_URL: await newDatabase(), NODE_OPTIONS, ...env });
  child.kill('SIGTERM');
  await child.exit;
  expect(child.stderr().includes('loaded file:')).toBe(isLoaded);
  expect(child.stdout().includes('"msg":"metrics"')).toBe(isLoaded);
});
