import { readFile } from 'node:fs/promises';
import {
  Server,
  ServerCredentials,
  status,
  type Metadata,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { firstKey, startPatientService } from '../support/service.ts';
import { CERTIFICATE } from '../support/tls-proxy.ts';

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

/** A collector by the gRPC library of others, which takes or refuses what it is sent. */
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

/** The service, once it has answered a request, and been told to stop. */
async function serveOnce(env: NodeJS.ProcessEnv) {
  const DATABASE_URL = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const service = await startPatientService({
    DATABASE_URL,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_BSP_SCHEDULE_DELAY: '10',
    ...env,
  });
  const headers = { Authorization: `Bearer ${await firstKey(service)}` };
  expect((await fetch(`${service.url}/v1/pets`, { headers })).status).toBe(200);
  return service;
}

test.each([{ compression: 'none' }, { compression: 'gzip' }])(
  'spans are exported over gRPC, compressed by $compression, with the headers that the environment names',
  async ({ compression }) => {
    const collector = await startGrpcCollector();
    await using service = await serveOnce({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_COMPRESSION: compression,
      OTEL_EXPORTER_OTLP_HEADERS: 'tenant=shop',
    });
    service.child.kill('SIGTERM');
    expect(await service.child.exit).toEqual({ code: 0, signal: null });
    expect(collector.messages.join('')).toContain('animal-store-gateway');
    expect(collector.messages.join('')).toContain('GET /v1/pets');
    expect(collector.tenants).toEqual(new Set(['shop']));
    expect(service.child.stdout()).not.toContain('trouble');
  },
);

test('spans are exported over gRPC and TLS, if OTEL_EXPORTER_OTLP_CERTIFICATE has vouched for the collector', async () => {
  const key = { private_key: await readFile(KEY), cert_chain: await readFile(CERTIFICATE) };
  const collector = await startGrpcCollector(undefined, ServerCredentials.createSsl(null, [key]));
  const { host } = new URL(collector.url);
  await using service = await serveOnce({
    OTEL_EXPORTER_OTLP_ENDPOINT: host.replace('127.0.0.1', 'localhost'),
    OTEL_EXPORTER_OTLP_CERTIFICATE: CERTIFICATE,
  });
  service.child.kill('SIGTERM');
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
  expect(collector.messages.join('')).toContain('GET /v1/pets');
});

test('what a collector refuses over gRPC is told of, with its reason', async () => {
  const refusal = { code: status.PERMISSION_DENIED, details: 'unknown tenant' };
  const collector = await startGrpcCollector(refusal);
  await using service = await serveOnce({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const line = await service.child.line('stdout', (text) => text.includes('problem with tracing'));
  expect(line).toContain('gRPC status 7 unknown tenant');
});

test('a collector that is gone is told of, and harms no request', async () => {
  await using service = await serveOnce({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
  const line = await service.child.line('stdout', (text) => text.includes('problem with tracing'));
  expect(line).toContain('ECONNREFUSED');
});
