import {
  context,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanOptions,
  type Link,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  type Attributes,
} from '@opentelemetry/api';
import { errorCode, errorStatus } from '@store-gateway/ops/errors';
import {
  type TracedCoalescer,
  redactKeys,
  type Tracer,
  withRowSinkOf,
  requestContext,
  pathOf,
  type RouteOf,
  type BatchedRequest,
  type Collect,
} from '@store-gateway/ops';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** OpenTelemetry's own tracer. */
const spans = trace.getTracer('@store-gateway/opentelemetry');

/** Whether a context has a span that will be exported. */
function isTraced(at: Context): boolean {
  return trace.getSpan(at)?.isRecording() ?? false;
}

/** Runs work in its own span, or without one outside a traced request. */
async function inSpan<Result>(
  name: string,
  options: SpanOptions,
  work: (span?: Span) => Promise<Result>,
): Promise<Result> {
  const active = context.active();
  if (!isTraced(active)) {
    return work();
  }
  const span = spans.startSpan(name, options, active);
  try {
    return await context.with(trace.setSpan(active, span), () => work(span));
  } catch (error) {
    recordError(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Records the type of an error on a span, but never its message, which may contain a client's input. Unless the caller is at
 * fault, the span is marked as failed.
 */
function recordError(span: Span, error: unknown): void {
  const code = errorCode(error);
  span.setAttribute('error.type', code ?? typeOf(error));
  if (code === undefined || errorStatus(code) >= 500) {
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
}

/** Returns an error's code from PostgreSQL or Node, or the name of its class. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return typeof error;
  }
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/**
 * Traces calls that share a run, which is recognized by its promise. Each call that joins gets a span for its wait. The span is
 * linked to that of the leading call, whose trace contains the work.
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

/** Maximum length of an operation's name, which the client chooses. */
const MAX_NAME_LENGTH = 64;

/**
 * Adds a span for each operation (https://opentelemetry.io/docs/specs/semconv/graphql/graphql-spans/), and for each root field
 * that is resolved. The spans don't contain the document, which may contain a client's data.
 */
export const traceExecutions: Tracer['executions'] = (execute, schema, definitionOf) => {
  traceRootFields(schema);
  return (operation, ...rest) => {
    const definition = definitionOf(operation);
    const type = definition?.operation;
    const name = redactKeys(definition?.name?.value ?? '').slice(0, MAX_NAME_LENGTH);
    const attributes = {
      'graphql.operation.type': type,
      'graphql.operation.name': name || undefined,
    };
    return inSpan(type ?? 'GraphQL Operation', { attributes }, async (span) => {
      const result = await execute(operation, ...rest);
      const [error] = result.errors ?? [];
      if (span !== undefined && error !== undefined) {
        recordError(span, error);
      }
      return result;
    });
  };
};

/** Adds spans for root fields only, because the fields below them just read the results. */
function traceRootFields(schema: Parameters<Tracer['executions']>[1]): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve } = field;
      if (resolve !== undefined) {
        field.resolve = withRowSinkOf(resolve, (...args) =>
          inSpan(`${type?.name}.${field.name}`, {}, async () => {
            const value: unknown = await resolve(...args);
            return value;
          }),
        );
      }
    }
  }
}

/** Methods that a span may be named after (https://opentelemetry.io/docs/specs/semconv/http/http-spans/). */
const METHODS = new Set('GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH QUERY'.split(' '));

/** Adds a span for each request, as a child of the span in its `traceparent` header. */
export function traceRequests(listener: RequestListener, routeOf: RouteOf): RequestListener {
  return (request, response) => {
    const parent = propagation.extract(ROOT_CONTEXT, request.headers);
    const attributes = attributesOf(request);
    const span = spans.startSpan(nameOf(request), { kind: SpanKind.SERVER, attributes }, parent);
    const spanContext = span.spanContext();
    const current = requestContext.getStore();
    if (current !== undefined && isSpanContextValid(spanContext)) {
      current.traceId = spanContext.traceId;
    }
    if (!span.isRecording()) {
      // Without an active span, no spans are created within the request either.
      listener(request, response);
      return;
    }
    response.on('close', () => {
      endSpan(span, request, response, { route: routeOf(request), errorType: current?.errorType });
    });
    context.with(trace.setSpan(parent, span), listener, undefined, request, response);
  };
}

function nameOf({ method = '' }: IncomingMessage): string {
  return METHODS.has(method) ? method : 'HTTP';
}

/** Returns the attributes of a request's span, without the query string and headers, which may contain anything, even keys. */
function attributesOf({ method = '', url = '', httpVersion }: IncomingMessage): Attributes {
  return {
    ...(METHODS.has(method)
      ? { 'http.request.method': method }
      : { 'http.request.method': '_OTHER', 'http.request.method_original': method }),
    'url.path': redactKeys(pathOf(url)),
    'url.scheme': 'http',
    'network.protocol.version': httpVersion,
  };
}

function endSpan(
  span: Span,
  request: IncomingMessage,
  { statusCode, headersSent, writableFinished }: ServerResponse,
  known: { readonly route: string | undefined; readonly errorType: string | undefined },
): void {
  const { route, errorType = statusCode >= 500 ? String(statusCode) : undefined } = known;
  if (route !== undefined) {
    span.updateName(`${nameOf(request)} ${route}`).setAttribute('http.route', route);
  }
  if (headersSent) {
    span.setAttribute('http.response.status_code', statusCode);
  }
  if (headersSent && errorType !== undefined) {
    span.setAttribute('error.type', errorType);
    span.setStatus({ code: SpanStatusCode.ERROR });
  } else if (!writableFinished) {
    // The client has disconnected, which isn't a failure of the service.
    span.setAttribute('error.type', 'aborted');
  }
  span.end();
}

/** A batch's links to the traces of its other callers, by the batch's context. */
const linksOf = new WeakMap<Context, readonly Link[]>();

/** Runs a batch in the trace of its first traced caller, which is rarely the first caller of all if few requests are sampled. */
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
        // Set explicitly, because a batch would otherwise run in the context of the previous one.
        const ofBatch = leader === undefined ? ROOT_CONTEXT : linked(leader, others);
        return context.with(ofBatch, () => run(calls));
      },
    );
    return (input: Input) => inContext({ input, within: context.active() });
  };
}

function linked(leader: Context, others: readonly Context[]): Context {
  const span = trace.getSpan(leader);
  // Each batch needs its own context, because a request may lead several.
  const ofBatch = span === undefined ? leader : trace.setSpan(leader, span);
  const spanContexts = others.flatMap((other) => trace.getSpanContext(other) ?? []);
  linksOf.set(
    ofBatch,
    spanContexts.map((spanContext) => ({ context: spanContext })),
  );
  return ofBatch;
}

/**
 * Adds a span named after a statement, without the statement's text or values
 * (https://opentelemetry.io/docs/specs/semconv/database/postgresql/).
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
