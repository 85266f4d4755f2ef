import { readFileSync } from 'node:fs';
import { getStringFromEnv, parseKeyPairsIntoRecord } from '@opentelemetry/core';
import { once } from 'node:events';
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { unescape } from 'node:querystring';
import { gzipSync } from 'node:zlib';
import {
  type ExportResponse,
  type IExporterTransport,
  createOtlpNetworkExportDelegate,
  ExporterMetrics,
  getSharedConfigurationDefaults,
  mergeOtlpSharedConfigurationWithDefaults,
  OTLPExporterBase,
} from '@opentelemetry/otlp-exporter-base';
import { getSharedConfigurationFromEnvironment } from '@opentelemetry/otlp-exporter-base/node-http';
import {
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer';
import type { SpanExporter } from '@opentelemetry/sdk-trace';

/** The collector's address and the credentials for it. */
type Collector = ReturnType<typeof readCollector>;

/**
 * Reads the OTEL_EXPORTER_OTLP_… variables as the OTLP exporter's specification defines them for gRPC.
 *
 * @throws Error if the address has an unsupported protocol, or if a certificate can't be read
 */
function readCollector() {
  const endpoint = setting('ENDPOINT') ?? 'http://localhost:4317';
  const scheme = setting('INSECURE')?.toLowerCase() === 'true' ? 'http' : 'https';
  const url = new URL(/^\w+:\/\//.test(endpoint) ? endpoint : `${scheme}://${endpoint}`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(`${endpoint} does not begin with http:// or https://`);
  }
  const ca = file('CERTIFICATE');
  const cert = file('CLIENT_CERTIFICATE');
  const key = file('CLIENT_KEY');
  return {
    /** For example http://localhost:4317 */
    origin: url.origin,
    headers: {
      ...parseKeyPairsIntoRecord(getStringFromEnv('OTEL_EXPORTER_OTLP_HEADERS')),
      ...parseKeyPairsIntoRecord(getStringFromEnv('OTEL_EXPORTER_OTLP_TRACES_HEADERS')),
    },
    tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
  };
}

function setting(name: string): string | undefined {
  const value =
    getStringFromEnv(`OTEL_EXPORTER_OTLP_TRACES_${name}`) ??
    getStringFromEnv(`OTEL_EXPORTER_OTLP_${name}`);
  return value?.trim();
}

function file(name: string): Buffer | undefined {
  const path = setting(name);
  return path === undefined ? undefined : readFileSync(path);
}

const PATH = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
/** The length of a message's prefix in bytes. The prefix indicates whether the message is compressed, and how long it is. */
const PREFIX_LENGTH = 5;

/** Sends serialized spans as unary calls (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md) on one connection. */
function createGrpcTransport(
  { origin, headers, tls }: Collector,
  compression: 'gzip' | 'none',
): IExporterTransport {
  let session: ClientHttp2Session | undefined;

  function connected(): ClientHttp2Session {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(origin, tls).on('error', () => {
        // The calls on this session fail, and report the error.
      });
      session.unref();
    }
    return session;
  }

  async function call(data: Uint8Array, timeoutMillis: number): Promise<ExportResponse> {
    const request = {
      ...headers,
      ':method': 'POST',
      ':path': PATH,
      'content-type': 'application/grpc',
      'grpc-timeout': `${timeoutMillis}m`,
      te: 'trailers',
      ...(compression === 'gzip' && { 'grpc-encoding': 'gzip' }),
    };
    const stream = connected().request(request, { signal: AbortSignal.timeout(timeoutMillis) });
    const chunks: Buffer[] = [];
    let received: IncomingHttpHeaders = {};
    const receive = (part: IncomingHttpHeaders) => {
      received = { ...received, ...part };
    };
    stream
      .on('response', receive)
      .on('trailers', receive)
      .on('data', (chunk: Buffer) => {
        chunks.push(chunk);
      });
    stream.end(framed(data, compression));
    await once(stream, 'close');
    return received['grpc-status'] === '0'
      ? { status: 'success', data: Buffer.concat(chunks).subarray(PREFIX_LENGTH) }
      : { status: 'failure', error: new Error(failureOf(received)) };
  }

  return {
    send: (data, timeoutMillis) =>
      call(data, timeoutMillis).catch((error: unknown) => ({
        status: 'failure',
        error: error instanceof Error ? error : new Error(String(error)),
      })),
    shutdown: () => session?.close(),
  };
}

function framed(data: Uint8Array, compression: 'gzip' | 'none'): Buffer {
  const isCompressed = compression === 'gzip';
  const message = isCompressed ? gzipSync(data) : data;
  const prefix = Buffer.alloc(PREFIX_LENGTH);
  prefix.writeUInt8(isCompressed ? 1 : 0, 0);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function failureOf(received: IncomingHttpHeaders): string {
  const { ':status': http, 'grpc-status': status, 'grpc-message': message } = received;
  return status === undefined
    ? `no gRPC status from the collector, HTTP status ${String(http)}`
    : `gRPC status ${String(status)} ${unescape(String(message ?? ''))}`;
}

/**
 * Creates an exporter that sends spans by OTLP over gRPC. It makes unary calls over Node's HTTP/2, and needs none of the thirty
 * packages that OpenTelemetry's own gRPC exporter depends on.
 */
export function createGrpcExporter(): SpanExporter {
  const options = mergeOtlpSharedConfigurationWithDefaults(
    {},
    getSharedConfigurationFromEnvironment('TRACES'),
    getSharedConfigurationDefaults(),
  );
  const collector = readCollector();
  const metrics = new ExporterMetrics({
    componentType: 'otlp_grpc_span_exporter',
    metricsHelper: TraceExporterMetricsHelper,
    url: collector.origin,
    meterProvider: undefined,
    responseAttributesFromError: () => ({}),
  });
  const transport = createGrpcTransport(collector, options.compression);
  return new OTLPExporterBase(
    createOtlpNetworkExportDelegate(options, ProtobufTraceSerializer, metrics, transport),
  );
}
