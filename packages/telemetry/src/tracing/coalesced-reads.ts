import { trace, type Link } from '@opentelemetry/api';
import { within } from './spans.ts';
import type { Coalescer } from '../tracer.ts';

/**
 * Gives each who joins a flight a span for the time that they wait, with a link to the one that leads it:
 * what is done for all of them is part of that one's trace.
 */
export function traceCoalescer<Result>(share: Coalescer<Result>): Coalescer<Result> {
  const leaders = new WeakMap<Promise<Result>, readonly Link[]>();
  return (key, start) => {
    const flight = share(key, start);
    const links = leaders.get(flight);
    if (links !== undefined) {
      return within('joined', { links: [...links] }, () => flight);
    }
    const span = trace.getActiveSpan();
    leaders.set(flight, span === undefined ? [] : [{ context: span.spanContext() }]);
    return flight;
  };
}
