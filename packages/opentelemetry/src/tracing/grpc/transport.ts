import { once } from 'node:events';
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { unescape } from 'node:querystring';
import { gzipSync } from 'node:zlib';
import type { ExportResponse, IExporterTransport } from '@opentelemetry/otlp-exporter-base';
import type { Collector } from './collector.ts';

const PATH = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
/** Of a message: whether it is compressed, and its length. */
const PREFIX_LENGTH = 5;

/** Sends serialized spans by unary calls (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md) on one connection. */
export function createGrpcTransport(
  { origin, headers, tls }: Collector,
  compression: 'gzip' | 'none',
): IExporterTransport {
  let session: ClientHttp2Session | undefined;

  function connected(): ClientHttp2Session {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(origin, tls).on('error', () => {
        // The calls on it fail.
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
