import { expect, inject, test } from 'vitest';
import { attributesOf, SERVER, startCollector } from '../support/collector.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { failedStart, firstKey, startPatientService } from '../support/service.ts';
import { newTrace } from '../support/traced-service.ts';

type Headers = Readonly<Record<string, string>>;

/** What a service with these variables exports of requests with these headers, and warns of. */
async function exportedBy(env: NodeJS.ProcessEnv, requests: readonly Headers[] = [{}]) {
  await using collector = await startCollector();
  const { child, ...service } = await startPatientService({
    ...collector.env,
    ...env,
    DATABASE_URL: await createDatabase(inject('postgresUrl'), { template: TEMPLATE }),
  });
  const headers = { Authorization: `Bearer ${await firstKey({ child })}` };
  for (const own of requests) {
    const answer = await fetch(`${service.url}/v1/pets`, { headers: { ...headers, ...own } });
    expect(answer.status).toBe(200);
  }
  child.kill('SIGTERM');
  expect(await child.exit).toEqual({ code: 0, signal: null });
  const reasons = child.stdout().matchAll(/"reason":"([^"\\]+)[^"]*"?.*"problem with tracing"/g);
  return {
    stdout: child.stdout(),
    resource: collector.resource(),
    spans: collector.spans().filter(({ kind }) => kind === SERVER),
    warnings: Array.from(reasons, ([, reason]) => reason),
  };
}

const sampled = newTrace(true);
const unsampled = newTrace(false);
const CALLERS = [sampled, unsampled].map(({ traceparent }) => ({ traceparent }));

const NAMES = ['host.name', 'process.command', 'service.instance.id', 'service.name'];
const namesOf = (resource: object) => NAMES.filter((name) => name in resource);
const idsOf = (spans: readonly { readonly traceId: string }[]) =>
  new Set(spans.map(({ traceId }) => traceId));

// Variables of one test don't depend on each other: each start of a service takes a second.

test('by default a caller decides what is recorded, and host and command line are named', async () => {
  const { spans, warnings, resource } = await exportedBy({}, CALLERS);
  expect(idsOf(spans)).toEqual(new Set([sampled.traceId]));
  expect(warnings).toEqual([]);
  expect(namesOf(resource)).toEqual(NAMES);
});

test('OTEL_TRACES_SAMPLER=always_off records nothing', async () => {
  const { spans, warnings } = await exportedBy({ OTEL_TRACES_SAMPLER: 'always_off' }, CALLERS);
  expect(spans).toEqual([]);
  expect(warnings).toEqual([]);
});

test('OTEL_TRACES_SAMPLER=traceidratio records all by 1, of which the detectors and the attribute limit leave out what they name', async () => {
  const { spans, warnings, resource } = await exportedBy(
    {
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '1',
      OTEL_NODE_RESOURCE_DETECTORS: 'env,serviceinstance',
      OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '1',
    },
    CALLERS,
  );
  expect(idsOf(spans)).toEqual(new Set([sampled.traceId, unsampled.traceId]));
  expect(warnings).toEqual([]);
  expect(namesOf(resource)).toEqual(['service.instance.id', 'service.name']);
  expect(spans.map((span) => Object.keys(attributesOf(span)).length)).toEqual([1, 1]);
});

test('OTEL_TRACES_SAMPLER=parentbased_traceidratio records by 0 what callers name, in the headers of OTEL_PROPAGATORS', async () => {
  const named = newTrace();
  const b3 = `${named.traceId}-00f067aa0ba902b7-1`;
  const { spans, warnings } = await exportedBy(
    {
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
      OTEL_PROPAGATORS: 'b3',
    },
    [{ b3 }, ...CALLERS],
  );
  // The callers' traceparent would have recorded one of them.
  expect(idsOf(spans)).toEqual(new Set([named.traceId]));
  expect(warnings).toEqual([]);
});

test('OTEL_TRACES_EXPORTER=console prints spans', async () => {
  const { stdout, spans } = await exportedBy({ OTEL_TRACES_EXPORTER: 'console' });
  expect(stdout).toContain("name: 'GET /v1/pets'");
  expect(spans).toEqual([]);
});

test('values that are not understood are told of, and traces go on', async () => {
  const { spans, warnings } = await exportedBy({
    OTEL_NODE_RESOURCE_DETECTORS: 'env,moon',
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_TRACES_EXPORTER: 'otlp,nobody',
  });
  expect(warnings).toEqual([
    expect.stringContaining('OTEL_NODE_RESOURCE_DETECTORS'),
    expect.stringContaining('OTEL_TRACES_SAMPLER'),
    expect.stringContaining('OTEL_TRACES_EXPORTER'),
  ]);
  expect(spans.map(({ name }) => name)).toEqual(['GET /v1/pets']);
});

test.each([
  { OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://collector' },
])('a start with %j for gRPC is refused', async (env) => {
  const url = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const refusal = await failedStart({
    DATABASE_URL: url,
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    ...env,
  });
  expect(refusal).toContain("tracing can't be started with these OTEL_… variables");
});
