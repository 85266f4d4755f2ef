import {
  context,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api';
import { ERROR_KINDS, errorCode } from '@gateway/errors/coded-error';

export const tracer = trace.getTracer('animal-store-gateway');

/** Whether there is a span under way that will be exported. */
export function isTraced(at: Context): boolean {
  return trace.getSpan(at)?.isRecording() ?? false;
}

/** Does work within a span of its own, or as it is if it isn't part of anything that is traced. */
export function within<Result>(
  name: string,
  options: SpanOptions,
  work: (span?: Span) => Promise<Result>,
): Promise<Result> {
  const active = context.active();
  if (!isTraced(active)) {
    return work();
  }
  const span = tracer.startSpan(name, options, active);
  return endWith(
    span,
    context.with(trace.setSpan(active, span), () => work(span)),
  );
}

async function endWith<Result>(span: Span, outcome: Promise<Result>): Promise<Result> {
  try {
    return await outcome;
  } catch (error) {
    noteError(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Notes the kind of an error, never its message, which may repeat what a client has sent. A span fails by
 * what is not the caller's fault.
 */
export function noteError(span: Span, error: unknown): void {
  const code = errorCode(error);
  span.setAttribute('error.type', code ?? typeOf(error));
  if (code === undefined || ERROR_KINDS[code].status >= 500) {
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
