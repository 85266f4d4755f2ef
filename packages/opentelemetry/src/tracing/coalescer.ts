import { trace, type Link } from '@opentelemetry/api';
import type { TracedCoalescer } from '@store-gateway/ops';
import { inSpan } from './spans.ts';

/**
 * Calls that share a run are recognised by its promise. Each that joins gets a span for the time that it waits, linked to
 * the span of the one that leads: the work is part of that one's trace.
 */
export function traceCoalescer<Result>(coalesce: TracedCoalescer<Result>): TracedCoalescer<Result> {
  const leaders = new WeakMap<Promise<Result>, readonly Link[]>();
  return (key, start) => {
    const run = coalesce(key, start);
    const links = leaders.get(run);
    if (links !== undefined) {
      return inSpan('joined', { links: [...links] }, () => run);
    }
    const span = trace.getActiveSpan();
    leaders.set(run, span === undefined ? [] : [{ context: span.spanContext() }]);
    return run;
  };
}
