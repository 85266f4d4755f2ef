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
  const reasons = child.stdout().matchAll(/"reason":"([^"\\]+)[^"]*"?.*"trouble with traces"/g);
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

test.each([
  { sampler: undefined, expected: [sampled] },
  { sampler: 'always_off', expected: [] },
  { sampler: 'traceidratio', argument: '1', expected: [sampled, unsampled] },
  { sampler: 'parentbased_traceidratio', argument: '0', expected: [sampled] },
])(
  'OTEL_TRACES_SAMPLER=$sampler decides what is recorded, by $argument',
  async ({ sampler, argument, expected }) => {
    const env = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: argument };
    const { spans, warnings } = await exportedBy(env, CALLERS);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(
      new Set(expected.map(({ traceId }) => traceId)),
    );
    expect(warnings).toEqual([]);
  },
);

test('OTEL_PROPAGATORS says in which headers a caller names its trace', async () => {
  const named = newTrace();
  const b3 = `${named.traceId}-00f067aa0ba902b7-1`;
  const { spans } = await exportedBy({ OTEL_PROPAGATORS: 'b3' }, [{ b3 }, ...CALLERS]);
  const traceIds = spans.map(({ traceId }) => traceId);
  expect(traceIds).toContain(named.traceId);
  expect(traceIds).not.toContain(sampled.traceId);
});

test('OTEL_NODE_RESOURCE_DETECTORS leaves out the host and the command line', async () => {
  const names = ['host.name', 'process.command', 'service.instance.id', 'service.name'];
  const namesOf = (resource: object) => names.filter((name) => name in resource);
  expect(namesOf((await exportedBy({})).resource)).toEqual(names);
  const few = await exportedBy({ OTEL_NODE_RESOURCE_DETECTORS: 'env,serviceinstance' });
  expect(namesOf(few.resource)).toEqual(['service.instance.id', 'service.name']);
});

test('OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT bounds a span', async () => {
  const { spans } = await exportedBy({ OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '1' });
  expect(spans.map((span) => Object.keys(attributesOf(span)).length)).toEqual([1]);
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
