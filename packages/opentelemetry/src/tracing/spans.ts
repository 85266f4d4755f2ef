import {
  context,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api';
import { errorCode, errorStatus } from '@store-gateway/ops/errors';

/** OpenTelemetry's own tracer. */
export const spans = trace.getTracer('@store-gateway/opentelemetry');

/** Whether a context has a span that will be exported. */
export function isTraced(at: Context): boolean {
  return trace.getSpan(at)?.isRecording() ?? false;
}

/** Does work in a span of its own, or as it is outside a traced request. */
export async function inSpan<Result>(
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
 * Sets the kind of an error, never its message, which may repeat what a client has sent. The span fails unless the caller
 * is at fault.
 */
export function recordError(span: Span, error: unknown): void {
  const code = errorCode(error);
  span.setAttribute('error.type', code ?? typeOf(error));
  if (code === undefined || errorStatus(code) >= 500) {
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
}

/** The code that PostgreSQL or Node gives an error, or the name of its class. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return typeof error;
  }
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
