import {
  type DiagLogger,
  context,
  diag,
  DiagLogLevel,
  propagation,
  trace,
} from '@opentelemetry/api';
import {
  isJsonObject,
  log,
  outsideRequest,
  exemptStoragesOf,
  StartupFailure,
  installTracer,
} from '@store-gateway/ops';
import { getNumberFromEnv } from '@opentelemetry/core';
import { type SpanLimits, TracerProvider } from '@opentelemetry/sdk-trace';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  traceCoalescer,
  traceExecutions,
  traceRequests,
  traceBatches,
  traceDatabaseCall,
  traceStatement,
} from './spans.ts';
import { readPropagator, readResource, readSampler } from './environment.ts';
import { readSpanProcessors } from './exporters.ts';

/** A collector that is away fails each export. */
const MAX_LINES_PER_MINUTE = 3;
const MINUTE_MS = 60_000;
const MAX_REASON_LENGTH = 300;

/** Writes what the SDK reports of failed exports to the log, a few lines a minute. */
export function createDiagnosticsLog(): DiagLogger {
  let minuteBegan = -Infinity;
  let written = 0;
  let untold = 0;

  function warn(message: string, ...more: unknown[]): void {
    const now = performance.now();
    if (now - minuteBegan >= MINUTE_MS) {
      minuteBegan = now;
      written = 0;
    }
    if (written === MAX_LINES_PER_MINUTE) {
      untold += 1;
      return;
    }
    written += 1;
    const reason = [message, ...more.filter(isText)].map(reasonOf).join(' ');
    const line = { reason: reason.slice(0, MAX_REASON_LENGTH), untold: untold || undefined };
    // An export starts in the context of whichever request comes first.
    outsideRequest(() => {
      log.warn(line, 'trouble with traces');
    });
    untold = 0;
  }

  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
}

/** The SDK writes an error as JSON with all its members, its stack included. */
function reasonOf(part: string): string {
  try {
    const error: unknown = JSON.parse(part);
    // An AggregateError, such as of an address each, has no message.
    const { message, code, name } = isJsonObject(error) ? error : {};
    return [message, code, name].find(isText) ?? part;
  } catch {
    return part;
  }
}

function ignore(): void {
  // The SDK's own steps.
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The variables for each bound of a span; the first that is set counts. */
const VARIABLES: Readonly<Record<keyof SpanLimits, readonly string[]>> = {
  attributeCountLimit: ['OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT', 'OTEL_ATTRIBUTE_COUNT_LIMIT'],
  attributeValueLengthLimit: [
    'OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT',
    'OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT',
  ],
  eventCountLimit: ['OTEL_SPAN_EVENT_COUNT_LIMIT'],
  linkCountLimit: ['OTEL_SPAN_LINK_COUNT_LIMIT'],
  attributePerEventCountLimit: [
    'OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT',
    'OTEL_SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT',
  ],
  attributePerLinkCountLimit: [
    'OTEL_LINK_ATTRIBUTE_COUNT_LIMIT',
    'OTEL_SPAN_ATTRIBUTE_PER_LINK_COUNT_LIMIT',
  ],
};

/** The bounds of a span that the environment sets. */
export function readSpanLimits(): SpanLimits {
  return Object.fromEntries(
    Object.entries(VARIABLES).flatMap(([bound, names]) => {
      const set = names.map((name) => getNumberFromEnv(name)).find((value) => value !== undefined);
      return set === undefined ? [] : [[bound, set]];
    }),
  );
}

/** How long a stop waits for a collector to take the last spans. */
const FLUSH_TIMEOUT_MS = 2000;

/**
 * Traces requests from now on, configured by OpenTelemetry's own variables (OTEL_…), which are read here and by its exporters.
 *
 * @param serviceName unless the environment names it
 * @returns exports the last spans, once no more requests come; resolves within 2 s to whether that was done. If not, the
 *   SDK goes on trying for a while.
 * @throws StartupFailure if no sense can be made of the variables
 */
export function startTracing(serviceName: string): () => Promise<boolean> {
  const sdk = startSdk(serviceName);
  installTracer({
    requests: traceRequests,
    executions: traceExecutions,
    coalescer: traceCoalescer,
    batches: traceBatches,
    statement: traceStatement,
    databaseCalled: traceDatabaseCall,
  });
  return async () => {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, FLUSH_TIMEOUT_MS, false);
    const flushed = sdk.shutdown().then(
      () => true,
      () => false,
    );
    const isFlushed = await Promise.race([flushed, late]);
    clearTimeout(timer);
    if (!isFlushed) {
      log.warn('the last traces are not exported');
    }
    return isFlushed;
  };
}

/** Does what OpenTelemetry's SDK for Node does for traces, without its exporters of logs and metrics. */
function startSdk(serviceName: string): TracerProvider {
  diag.setLogger(createDiagnosticsLog(), { logLevel: DiagLogLevel.WARN });
  try {
    const provider = new TracerProvider({
      resource: readResource(serviceName),
      sampler: readSampler(),
      spanLimits: readSpanLimits(),
      spanProcessors: readSpanProcessors(),
    });
    const manager = new AsyncLocalStorageContextManager();
    // Its spans, which all that is shared is part of.
    exemptStoragesOf(manager);
    context.setGlobalContextManager(manager.enable());
    propagation.setGlobalPropagator(readPropagator());
    trace.setGlobalTracerProvider(provider);
    return provider;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupFailure(`tracing can't be started with these OTEL_… variables: ${reason}`, {
      cause: error,
    });
  }
}
