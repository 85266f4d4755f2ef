import { diag, type TextMapPropagator } from '@opentelemetry/api';
import {
  CompositePropagator,
  getNumberFromEnv,
  getStringFromEnv,
  getStringListFromEnv,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { ZipkinExporter } from '@opentelemetry/exporter-zipkin';
import { B3InjectEncoding, B3Propagator } from '@opentelemetry/propagator-b3';
import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  osDetector,
  processDetector,
  type Resource,
  type ResourceDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  ParentBasedSampler,
  type Sampler,
  SimpleSpanProcessor,
  type SpanExporter,
  type SpanLimits,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import { createGrpcExporter } from './grpc.ts';

/**
 * Creates the objects that a variable lists by name. Duplicates are ignored, `none` creates nothing, and an unknown name is
 * logged as a warning.
 */
function readNames<Named>(
  variable: string,
  named: Readonly<Record<string, () => Named>>,
  byDefault: readonly string[],
): Named[] {
  const asked = getStringListFromEnv(variable) ?? [];
  const names = new Set(asked.length === 0 ? byDefault : asked);
  return names.has('none')
    ? []
    : Array.from(names).flatMap((name) => {
        const make = Object.hasOwn(named, name) ? named[name] : undefined;
        if (make === undefined) diag.warn(`${variable}: "${name}" is unknown`);
        return make?.() ?? [];
      });
}

const ALL_DETECTORS = [
  serviceInstanceIdDetector,
  processDetector,
  hostDetector,
  osDetector,
  envDetector,
] as const;

/** Returns the resource attributes of the process. The environment takes precedence over `serviceName`. */
export function readResource(serviceName: string): Resource {
  const asked = readNames<readonly ResourceDetector[]>(
    'OTEL_NODE_RESOURCE_DETECTORS',
    {
      all: () => ALL_DETECTORS,
      serviceinstance: () => [serviceInstanceIdDetector],
      process: () => [processDetector],
      host: () => [hostDetector],
      os: () => [osDetector],
      env: () => [envDetector],
    },
    ['all'],
  );
  // Later detectors take precedence.
  const detectors = asked.includes(ALL_DETECTORS) ? [...ALL_DETECTORS] : asked.flat();
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': serviceName }))
    .merge(detectResources({ detectors }));
}

/** Creates the propagator that reads a caller's trace from headers, according to OTEL_PROPAGATORS. */
export function readPropagator(): TextMapPropagator {
  const named = {
    tracecontext: () => new W3CTraceContextPropagator(),
    baggage: () => new W3CBaggagePropagator(),
    b3: () => new B3Propagator(),
    b3multi: () => new B3Propagator({ injectEncoding: B3InjectEncoding.MULTI_HEADER }),
  };
  const propagators = readNames<TextMapPropagator>('OTEL_PROPAGATORS', named, [
    'tracecontext',
    'baggage',
  ]);
  return new CompositePropagator({ propagators });
}

const DEFAULT_SAMPLER = 'parentbased_always_on';

const ROOT_SAMPLERS: ReadonlyMap<string, () => Sampler> = new Map<string, () => Sampler>([
  ['always_on', () => new AlwaysOnSampler()],
  ['always_off', () => new AlwaysOffSampler()],
  ['traceidratio', () => new TraceIdRatioBasedSampler(readRatio())],
]);

/** Creates the sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG select. */
export function readSampler(): Sampler {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER') ?? DEFAULT_SAMPLER;
  const [, prefix, root = ''] = /^(parentbased_)?(.*)$/.exec(name) ?? [];
  const create = ROOT_SAMPLERS.get(root);
  if (create === undefined) {
    diag.warn(`OTEL_TRACES_SAMPLER: "${name}" is unknown; using ${DEFAULT_SAMPLER}`);
    return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  }
  return prefix === undefined ? create() : new ParentBasedSampler({ root: create() });
}

function readRatio(): number {
  const ratio = getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG');
  if (ratio === undefined || ratio < 0 || ratio > 1) {
    diag.warn('OTEL_TRACES_SAMPLER_ARG is not between 0 and 1; using 1');
    return 1;
  }
  return ratio;
}

/** The variables for each limit of a span. The first one that is set applies. */
const VARIABLES: Readonly<Record<keyof SpanLimits, readonly string[]>> = {
  attributeCountLimit: ['OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT', 'OTEL_ATTRIBUTE_COUNT_LIMIT'],
  attributeValueLengthLimit: [
    'OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT',
    'OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT',
  ],
  eventCountLimit: ['OTEL_SPAN_EVENT_COUNT_LIMIT'],
  linkCountLimit: ['OTEL_SPAN_LINK_COUNT_LIMIT'],
  attributePerEventCountLimit: [
    'OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT',
    'OTEL_SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT',
  ],
  attributePerLinkCountLimit: [
    'OTEL_LINK_ATTRIBUTE_COUNT_LIMIT',
    'OTEL_SPAN_ATTRIBUTE_PER_LINK_COUNT_LIMIT',
  ],
};

/** Reads the limits of spans from the environment. */
export function readSpanLimits(): SpanLimits {
  return Object.fromEntries(
    Object.entries(VARIABLES).flatMap(([bound, names]) => {
      const set = names.map((name) => getNumberFromEnv(name)).find((value) => value !== undefined);
      return set === undefined ? [] : [[bound, set]];
    }),
  );
}

const DEFAULT_PROTOCOL = 'http/protobuf';

const PROTOCOLS: ReadonlyMap<string, () => SpanExporter> = new Map<string, () => SpanExporter>([
  ['grpc', createGrpcExporter],
  ['http/json', () => new JsonExporter()],
  [DEFAULT_PROTOCOL, () => new ProtobufExporter()],
]);

/** Creates the processors that export spans, according to OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_… and OTEL_BSP_…. */
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
    diag.warn(`OTEL_EXPORTER_OTLP_PROTOCOL: "${protocol}" is unknown; using ${DEFAULT_PROTOCOL}`);
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

/** Returns the option if its variable is set to a positive number. */
function readPositive(option: string, name: string): Readonly<Record<string, number>> {
  const value = getNumberFromEnv(name);
  if (value === undefined) {
    return {};
  }
  if (value <= 0) {
    diag.warn(`${name} is not greater than 0; using the default`);
    return {};
  }
  return { [option]: value };
}
