import { diag, type TextMapPropagator } from '@opentelemetry/api';
import {
  CompositePropagator,
  getStringListFromEnv,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { B3InjectEncoding, B3Propagator } from '@opentelemetry/propagator-b3';

const PROPAGATORS: ReadonlyMap<string, () => TextMapPropagator> = new Map<
  string,
  () => TextMapPropagator
>([
  ['tracecontext', () => new W3CTraceContextPropagator()],
  ['baggage', () => new W3CBaggagePropagator()],
  ['b3', () => new B3Propagator()],
  ['b3multi', () => new B3Propagator({ injectEncoding: B3InjectEncoding.MULTI_HEADER })],
]);

/** What reads a caller's trace from headers, as OTEL_PROPAGATORS asks for. */
export function readPropagator(): TextMapPropagator {
  const asked = getStringListFromEnv('OTEL_PROPAGATORS') ?? [];
  const names = asked.length === 0 ? ['tracecontext', 'baggage'] : asked;
  const propagators = [...new Set(names.includes('none') ? [] : names)].flatMap((name) => {
    const create = PROPAGATORS.get(name);
    if (create === undefined) {
      diag.warn(`OTEL_PROPAGATORS: there is no "${name}"`);
    }
    return create?.() ?? [];
  });
  return new CompositePropagator({ propagators });
}
