import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { exportingTo, startCollector } from '../support/collector.ts';
import { startMeasuredService } from '../support/measured.ts';
import {
  logWithoutDelays,
  startPatientService,
  statusOfList,
  stop,
  type Service,
} from '../support/service.ts';

const NODE_OPTIONS = '--import ./test/support/loaded-modules.ts';

/** Stops a service, expects it to shut down cleanly, and returns the OpenTelemetry modules that it had loaded. */
async function loadedBy(service: Service): Promise<unknown> {
  await stop(service);
  return JSON.parse(/^loaded: (.*)$/m.exec(service.child.stderr())?.[1] ?? 'null');
}

test('OpenTelemetry is not loaded when neither metrics nor tracing is enabled', async () => {
  await using collector = await startCollector();
  const service = await startPatientService({
    ...collector.env,
    NODE_OPTIONS,
    OTEL_SDK_DISABLED: 'TRUE',
  });
  expect(await statusOfList(service)).toBe(200);
  expect(await loadedBy(service)).toEqual([]);
  expect(collector.received()).toBe('');
});

test('a shutdown exports the last spans and does not wait for a scraper', async () => {
  await using collector = await startCollector();
  const env = {
    ...collector.env,
    NODE_OPTIONS,
    OTEL_BSP_SCHEDULE_DELAY: '60000',
    OTEL_SERVICE_NAME: 'shop',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  };
  const service = await startMeasuredService(env, startPatientService);
  const { hostname, port } = new URL(service.metricsUrl);
  const scraper = connect(Number(port), hostname);
  scraper.on('error', () => undefined).write('GET /metrics HTTP/1.1\r\n');
  await once(scraper, 'connect');
  await service.scrape();
  expect(await statusOfList(service)).toBe(200);
  expect(collector.received()).toBe('');

  expect(await loadedBy(service)).toEqual(
    expect.arrayContaining(['@opentelemetry/sdk-metrics', '@opentelemetry/sdk-trace']),
  );
  expect(collector.spans().map(({ name }) => name)).toContain('GET /v1/pets');
  expect(collector.resource()).toMatchObject({
    'service.name': 'shop',
    'deployment.environment.name': 'test',
  });
  expect(logWithoutDelays(service.child)).not.toContain('"level":40');
  await expect(fetch(service.metricsUrl)).rejects.toThrow('fetch failed');
});

test('a collector that rejects all spans is reported in a few log lines and affects no request', async () => {
  const refused: unknown[] = [];
  const env = await exportingTo((request, response) => {
    response.writeHead(400).end('{"message":"no"}');
    refused.push(request.url);
  });
  const service = await startPatientService({
    ...env,
    NODE_OPTIONS,
    OTEL_BSP_SCHEDULE_DELAY: '1',
  });
  while (refused.length < 10) {
    expect(await statusOfList(service)).toBe(200);
  }
  await loadedBy(service);
  const lines = service.child.stdout().split('\n');
  const trouble = lines.filter((line) => line.includes('problem with tracing'));
  expect(trouble.length).toBeGreaterThan(0);
  expect(trouble.length).toBeLessThanOrEqual(3);
  expect(trouble[0]).toContain('"reason":"Bad Request');
  // These lines do not belong to any request.
  expect(trouble.filter((line) => line.includes('requestId'))).toEqual([]);
});
