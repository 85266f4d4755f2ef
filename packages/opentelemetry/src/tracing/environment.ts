import { diag, type TextMapPropagator } from '@opentelemetry/api';
import {
  CompositePropagator,
  getNumberFromEnv,
  getStringFromEnv,
  getStringListFromEnv,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { B3InjectEncoding, B3Propagator } from '@opentelemetry/propagator-b3';
import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  osDetector,
  processDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  type Resource,
  type ResourceDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace';

/** Reads a list of names: each counts once, `none` is nothing, and an unknown one is logged as a warning. */
export function readNames<Named>(
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

/** The resource attributes of the process. The environment takes precedence over `serviceName`. */
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

/** Reads a caller's trace from headers, according to OTEL_PROPAGATORS. */
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

/** The sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG ask for. */
export function readSampler(): Sampler {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER') ?? DEFAULT_SAMPLER;
  const [, prefix, root = ''] = /^(parentbased_)?(.*)$/.exec(name) ?? [];
  const create = ROOT_SAMPLERS.get(root);
  if (create === undefined) {
    diag.warn(`OTEL_TRACES_SAMPLER: "${name}" is unknown, ${DEFAULT_SAMPLER} is used`);
    return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  }
  return prefix === undefined ? create() : new ParentBasedSampler({ root: create() });
}

function readRatio(): number {
  const ratio = getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG');
  if (ratio === undefined || ratio < 0 || ratio > 1) {
    diag.warn('OTEL_TRACES_SAMPLER_ARG is not between 0 and 1, 1 is used');
    return 1;
  }
  return ratio;
}
