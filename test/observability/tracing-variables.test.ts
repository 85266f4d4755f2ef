import { expect, test, onTestFinished } from 'vitest';
import { newTrace, attributesOf, SERVER, startCollector } from '../support/collector.ts';
import { failedStart, startPatientService, statusOfList, stop } from '../support/service.ts';
import { readFile } from 'node:fs/promises';
import {
  Server,
  ServerCredentials,
  status,
  type Metadata,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { CERTIFICATE } from '../support/database-proxy.ts';

type Headers = Readonly<Record<string, string>>;

/**
 * Returns what a service with these variables exports for requests with these headers; expects these warnings, by
 * default none.
 */
async function exportedBy(
  env: NodeJS.ProcessEnv,
  requests: readonly Headers[] = [{}],
  warnings: readonly string[] = [],
) {
  await using collector = await startCollector();
  const service = await startPatientService({ ...collector.env, ...env });
  for (const headers of requests) {
    expect(await statusOfList(service, headers)).toBe(200);
  }
  await stop(service);
  const { stdout } = service.child;
  const reasons = stdout().matchAll(/"reason":"([^"\\]+)[^"]*"?.*"problem with tracing"/g);
  expect(Array.from(reasons, ([, reason = '']) => /OTEL_\w+/.exec(reason)?.[0] ?? reason)).toEqual(
    warnings,
  );
  return {
    stdout: stdout(),
    resource: collector.resource(),
    spans: collector.spans().filter(({ kind }) => kind === SERVER),
  };
}

const sampled = newTrace(true);
const unsampled = newTrace(false);
const CALLERS = [sampled, unsampled].map(({ traceparent }) => ({ traceparent }));

const NAMES = ['host.name', 'process.command', 'service.instance.id', 'service.name'];
const namesOf = (resource: object) => NAMES.filter((name) => name in resource);
const idsOf = (spans: readonly { readonly traceId: string }[]) =>
  new Set(spans.map(({ traceId }) => traceId));

// Independent variables share a test, because each start of a service takes a second.

test('by default, the caller decides on sampling, and the resource includes the host and the command', async () => {
  const { spans, resource } = await exportedBy({}, CALLERS);
  expect(idsOf(spans)).toEqual(new Set([sampled.traceId]));
  expect(namesOf(resource)).toEqual(NAMES);
});

test('OTEL_TRACES_SAMPLER=always_off records nothing', async () => {
  const { spans } = await exportedBy({ OTEL_TRACES_SAMPLER: 'always_off' }, CALLERS);
  expect(spans).toEqual([]);
});

test('OTEL_TRACES_SAMPLER=traceidratio with 1 records all spans, within the given detectors and attribute limit', async () => {
  const { spans, resource } = await exportedBy(
    {
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '1',
      OTEL_NODE_RESOURCE_DETECTORS: 'env,serviceinstance',
      OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '1',
    },
    CALLERS,
  );
  expect(idsOf(spans)).toEqual(new Set([sampled.traceId, unsampled.traceId]));
  expect(namesOf(resource)).toEqual(['service.instance.id', 'service.name']);
  expect(spans.map((span) => Object.keys(attributesOf(span)).length)).toEqual([1, 1]);
});

test('OTEL_TRACES_SAMPLER=parentbased_traceidratio with 0 records what callers sample in OTEL_PROPAGATORS headers', async () => {
  const named = newTrace();
  const b3 = `${named.traceId}-00f067aa0ba902b7-1`;
  const { spans } = await exportedBy(
    {
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
      OTEL_PROPAGATORS: 'b3',
    },
    [{ b3 }, ...CALLERS],
  );
  // If traceparent were read, one of the callers would have been recorded.
  expect(idsOf(spans)).toEqual(new Set([named.traceId]));
});

test('OTEL_TRACES_EXPORTER=console prints spans', async () => {
  const { stdout, spans } = await exportedBy({ OTEL_TRACES_EXPORTER: 'console' });
  expect(stdout).toContain("name: 'GET /v1/pets'");
  expect(spans).toEqual([]);
});

test('unsupported values are logged, and traces are still exported', async () => {
  const env = {
    OTEL_NODE_RESOURCE_DETECTORS: 'env,moon',
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_TRACES_EXPORTER: 'otlp,nobody',
  };
  const { spans } = await exportedBy(env, [{}], Object.keys(env));
  expect(spans.map(({ name }) => name)).toEqual(['GET /v1/pets']);
});

test.each([
  { OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://collector' },
])('startup fails with %j for gRPC', async (env) => {
  const refusal = await failedStart({
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    ...env,
  });
  expect(refusal).toContain("tracing can't be started with these OTEL_… variables");
});

const KEY = new URL('../support/tls/key.pem', import.meta.url);

/** https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/collector/trace/v1/trace_service.proto */
const SERVICE = {
  export: {
    path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    requestStream: false,
    responseStream: false,
    requestSerialize: (message: Buffer) => message,
    requestDeserialize: (message: Buffer) => message,
    responseSerialize: (message: Buffer) => message,
    responseDeserialize: (message: Buffer) => message,
  },
} as const;

/** Starts a collector on an independent gRPC library that accepts or rejects what it is sent. */
async function startGrpcCollector(
  refusal?: { readonly code: status; readonly details: string },
  credentials = ServerCredentials.createInsecure(),
) {
  const messages: string[] = [];
  const tenants = new Set<unknown>();
  const implementation: UntypedServiceImplementation = {
    export: (
      { request, metadata }: { readonly request: Buffer; readonly metadata: Metadata },
      respond: (error: object | null, response: Buffer) => void,
    ) => {
      messages.push(request.toString('latin1'));
      tenants.add(metadata.get('tenant')[0]);
      respond(refusal ?? null, Buffer.alloc(0));
    },
  };
  const server = new Server();
  server.addService(SERVICE, implementation);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync('127.0.0.1:0', credentials, (error, port) => {
    if (error === null) {
      resolve(port);
    } else {
      reject(error);
    }
  });
  onTestFinished(() => {
    server.forceShutdown();
  });
  return { url: `http://127.0.0.1:${await promise}`, messages, tenants };
}

/** Starts a service that exports over gRPC, and sends it one request. */
async function serveOnce(env: NodeJS.ProcessEnv) {
  const service = await startPatientService({
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_BSP_SCHEDULE_DELAY: '10',
    ...env,
  });
  expect(await statusOfList(service)).toBe(200);
  return service;
}

test.each([{ compression: 'none' }, { compression: 'gzip' }])(
  'spans are exported over gRPC with the compression $compression and the configured headers',
  async ({ compression }) => {
    const collector = await startGrpcCollector();
    await using service = await serveOnce({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_COMPRESSION: compression,
      OTEL_EXPORTER_OTLP_HEADERS: 'tenant=shop',
    });
    await stop(service);
    expect(collector.messages.join('')).toContain('animal-store-gateway');
    expect(collector.messages.join('')).toContain('GET /v1/pets');
    expect(collector.tenants).toEqual(new Set(['shop']));
    expect(service.child.stdout()).not.toContain('trouble');
  },
);

test('spans are exported over gRPC and TLS with OTEL_EXPORTER_OTLP_CERTIFICATE', async () => {
  const key = { private_key: await readFile(KEY), cert_chain: await readFile(CERTIFICATE) };
  const collector = await startGrpcCollector(undefined, ServerCredentials.createSsl(null, [key]));
  const { host } = new URL(collector.url);
  await using service = await serveOnce({
    OTEL_EXPORTER_OTLP_ENDPOINT: host.replace('127.0.0.1', 'localhost'),
    OTEL_EXPORTER_OTLP_CERTIFICATE: CERTIFICATE,
  });
  await stop(service);
  expect(collector.messages.join('')).toContain('GET /v1/pets');
});

test('the reason why a collector rejects spans over gRPC is logged', async () => {
  const refusal = { code: status.PERMISSION_DENIED, details: 'unknown tenant' };
  const collector = await startGrpcCollector(refusal);
  await using service = await serveOnce({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const line = await service.child.line('stdout', (text) => text.includes('problem with tracing'));
  expect(line).toContain('gRPC status 7 unknown tenant');
});

test('an unreachable collector is logged and affects no request', async () => {
  await using service = await serveOnce({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
  const line = await service.child.line('stdout', (text) => text.includes('problem with tracing'));
  expect(line).toContain('ECONNREFUSED');
});
