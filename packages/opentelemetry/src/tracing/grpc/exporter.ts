import {
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
import { readCollector } from './collector.ts';
import { createGrpcTransport } from './transport.ts';

/**
 * Exports spans by OTLP over gRPC. One unary call needs none of the thirty packages that OpenTelemetry's own exporter for
 * it brings: Node speaks HTTP/2.
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
