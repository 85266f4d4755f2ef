import { diag } from '@opentelemetry/api';
import { getNumberFromEnv, getStringFromEnv } from '@opentelemetry/core';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace';

const DEFAULT = 'parentbased_always_on';

const ROOTS: ReadonlyMap<string, () => Sampler> = new Map<string, () => Sampler>([
  ['always_on', () => new AlwaysOnSampler()],
  ['always_off', () => new AlwaysOffSampler()],
  ['traceidratio', () => new TraceIdRatioBasedSampler(readRatio())],
]);

/** The sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG ask for. */
export function readSampler(): Sampler {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER') ?? DEFAULT;
  const [, prefix, root = ''] = /^(parentbased_)?(.*)$/.exec(name) ?? [];
  const create = ROOTS.get(root);
  if (create === undefined) {
    diag.warn(`OTEL_TRACES_SAMPLER: there is no "${name}", so it is ${DEFAULT}`);
    return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  }
  return prefix === undefined ? create() : new ParentBasedSampler({ root: create() });
}

function readRatio(): number {
  const ratio = getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG');
  if (ratio === undefined || ratio < 0 || ratio > 1) {
    diag.warn('OTEL_TRACES_SAMPLER_ARG is not from 0 to 1, so it is 1');
    return 1;
  }
  return ratio;
}
