import { context, SpanKind, trace, type Context, type Link } from '@opentelemetry/api';
import { isTraced, within } from './spans.ts';
import type { Call, Collect } from '../tracer.ts';

/** Of what is run for several, the links to those whose traces it isn't part of. */
const linksOf = new WeakMap<Context, readonly Link[]>();

/**
 * Runs the calls of a moment as part of the trace of the first one that has one: where few requests are
 * sampled, that is hardly ever the very first.
 */
export function traceBatches(collect: Collect): Collect {
  return function collectWithin<Input, Output>(
    run: (calls: readonly Call<Input, Output>[]) => Promise<void>,
  ) {
    const inContext = collect<{ readonly input: Input; readonly within: Context }, Output>(
      (asked) => {
        const calls = asked.map(({ input: { input }, resolve, reject }) => ({
          input,
          resolve,
          reject,
        }));
        const [leader, ...others] = asked.map(({ input }) => input.within).filter(isTraced);
        return leader === undefined
          ? run(calls)
          : context.with(linked(leader, others), () => run(calls));
      },
    );
    return (input: Input) => inContext({ input, within: context.active() });
  };
}

function linked(leader: Context, others: readonly Context[]): Context {
  const span = trace.getSpan(leader);
  // One of its own for each batch: a request may lead several.
  const ofBatch = span === undefined ? leader : trace.setSpan(leader, span);
  linksOf.set(ofBatch, others.flatMap(linkTo));
  return ofBatch;
}

function linkTo(other: Context): Link[] {
  const spanContext = trace.getSpanContext(other);
  return spanContext === undefined ? [] : [{ context: spanContext }];
}

/**
 * Gives a statement a span (https://opentelemetry.io/docs/specs/semconv/database/postgresql/) under the name
 * that we have for it: neither its text nor its values.
 */
export function traceStatement<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
  const links = [...(linksOf.get(context.active()) ?? [])];
  return within(name, { kind: SpanKind.CLIENT, attributes, links }, run);
}

export function noteDatabaseCall(model: string, operation: string, by: string): void {
  trace.getActiveSpan()?.addEvent('database call', {
    'db.collection.name': model,
    'db.operation.name': operation,
    'db.answered_by': by,
  });
}
