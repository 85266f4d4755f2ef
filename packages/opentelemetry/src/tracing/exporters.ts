import { diag } from '@opentelemetry/api';
import { getNumberFromEnv, getStringFromEnv } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { ZipkinExporter } from '@opentelemetry/exporter-zipkin';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  SimpleSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { readNames } from './environment.ts';
import { createGrpcExporter } from './grpc.ts';

const DEFAULT_PROTOCOL = 'http/protobuf';

const PROTOCOLS: ReadonlyMap<string, () => SpanExporter> = new Map<string, () => SpanExporter>([
  ['grpc', createGrpcExporter],
  ['http/json', () => new JsonExporter()],
  [DEFAULT_PROTOCOL, () => new ProtobufExporter()],
]);

/** The span exporters, according to OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_… and OTEL_BSP_…. */
export function readSpanProcessors(): SpanProcessor[] {
  const named = {
    otlp: () => inBatches(createOtlpExporter()),
    zipkin: () => inBatches(new ZipkinExporter()),
    console: () => new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() }),
  };
  return readNames<SpanProcessor>('OTEL_TRACES_EXPORTER', named, ['otlp']);
}

function createOtlpExporter(): SpanExporter {
  const protocol =
    getStringFromEnv('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ??
    getStringFromEnv('OTEL_EXPORTER_OTLP_PROTOCOL') ??
    DEFAULT_PROTOCOL;
  const create = PROTOCOLS.get(protocol);
  if (create === undefined) {
    diag.warn(`OTEL_EXPORTER_OTLP_PROTOCOL: "${protocol}" is unknown, ${DEFAULT_PROTOCOL} is used`);
    return new ProtobufExporter();
  }
  return create();
}

function inBatches(exporter: SpanExporter): SpanProcessor {
  return new BatchSpanProcessor({
    exporter,
    ...readPositive('maxQueueSize', 'OTEL_BSP_MAX_QUEUE_SIZE'),
    ...readPositive('scheduledDelayMillis', 'OTEL_BSP_SCHEDULE_DELAY'),
    ...readPositive('exportTimeoutMillis', 'OTEL_BSP_EXPORT_TIMEOUT'),
    ...readPositive('maxExportBatchSize', 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
  });
}

/** The option, if its variable is set. */
function readPositive(option: string, name: string): Readonly<Record<string, number>> {
  const value = getNumberFromEnv(name);
  if (value === undefined) {
    return {};
  }
  if (value <= 0) {
    diag.warn(`${name} is not greater than 0, the default is used`);
    return {};
  }
  return { [option]: value };
}
