import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  type Context,
  type Link,
} from '@opentelemetry/api';
import type { BatchedRequest, Collect } from '@store-gateway/ops';
import { inSpan, isTraced } from './spans.ts';

/** For a batch's context, the links to the traces of its other callers. */
const linksOf = new WeakMap<Context, readonly Link[]>();

/**
 * Runs a batch in the trace of its first traced caller: where few requests are sampled, that is hardly ever the very first
 * caller.
 */
export function traceBatches(collect: Collect): Collect {
  return function collectWithin<Input, Output>(
    run: (calls: readonly BatchedRequest<Input, Output>[]) => Promise<void>,
  ) {
    const inContext = collect<{ readonly input: Input; readonly within: Context }, Output>(
      (asked) => {
        const calls = asked.map(({ input: { input }, resolve, reject }) => ({
          input,
          resolve,
          reject,
        }));
        const [leader, ...others] = asked.map(({ input }) => input.within).filter(isTraced);
        // A batch is sent in the context in which the one before was.
        const ofBatch = leader === undefined ? ROOT_CONTEXT : linked(leader, others);
        return context.with(ofBatch, () => run(calls));
      },
    );
    return (input: Input) => inContext({ input, within: context.active() });
  };
}

function linked(leader: Context, others: readonly Context[]): Context {
  const span = trace.getSpan(leader);
  // A context of its own for each batch: a request may lead several.
  const ofBatch = span === undefined ? leader : trace.setSpan(leader, span);
  const spanContexts = others.flatMap((other) => trace.getSpanContext(other) ?? []);
  linksOf.set(
    ofBatch,
    spanContexts.map((spanContext) => ({ context: spanContext })),
  );
  return ofBatch;
}

/**
 * Gives a statement a span (https://opentelemetry.io/docs/specs/semconv/database/postgresql/) under its name, without its
 * text and values.
 */
export function traceStatement<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
  const links = [...(linksOf.get(context.active()) ?? [])];
  return inSpan(name, { kind: SpanKind.CLIENT, attributes, links }, run);
}

export function traceDatabaseCall(model: string, operation: string, by: string): void {
  trace.getActiveSpan()?.addEvent('database call', {
    'db.collection.name': model,
    'db.operation.name': operation,
    'db.answered_by': by,
  });
}
