import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startMetrics } from '@store-gateway/opentelemetry/metrics';
import { StartupFailure } from '@store-gateway/ops';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import { failedStart } from '../support/service.ts';

const { metricsUrl, url: serviceUrl } = await startMeasuredGateway();

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
    '# HELP http_server_active_requests Requests in flight.\n# TYPE http_server_active_requests gauge\nhttp_server_active_requests 0\n',
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
  expect((await ask(`${serviceUrl}/metrics`)).status).toBe(404);
});

test('a METRICS_PORT in use ends the start with one line that says so', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    taken.close();
  });
  await once(taken, 'listening');
  const address = taken.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  expect(await failedStart({ METRICS_PORT: port, DATABASE_URL: databaseUrl })).toBe(
    `METRICS_PORT: 127.0.0.1:${port} is already in use; set METRICS_PORT to a free one`,
  );
});

test('a METRICS_HOST of another machine is a reason not to start', async () => {
  // An address for documentation, which no machine has (RFC 5737).
  await expect(
    startMetrics({ host: '192.0.2.1', port: 0, prefix: '', version: '' }),
  ).rejects.toThrow(
    new StartupFailure(
      'METRICS_HOST: cannot listen on 192.0.2.1:0 (EADDRNOTAVAIL); set METRICS_HOST to an address of this machine',
    ),
  );
});
