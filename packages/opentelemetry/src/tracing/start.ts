import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { exemptStoragesOf, StartupFailure, log, installTracer } from '@store-gateway/ops';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { createDiagnosticsLog } from './diagnostics-log.ts';
import {
  readPropagator,
  readResource,
  readSampler,
  readSpanLimits,
  readSpanProcessors,
} from './environment.ts';
import {
  traceBatches,
  traceCoalescer,
  traceDatabaseCall,
  traceExecutions,
  traceRequests,
  traceStatement,
} from './spans.ts';

/** Milliseconds that a shutdown waits for the collector to accept the last spans. */
const FLUSH_TIMEOUT_MS = 2000;

/**
 * Traces requests from now on, configured by OpenTelemetry's own variables (OTEL_…), which are read here and by its exporters.
 *
 * @param serviceName the service's name, unless the environment sets one
 * @returns a function that exports the last spans, to be called after the last request; it resolves within 2 s to whether that
 *   succeeded. If not, the SDK keeps trying for a while.
 * @throws StartupFailure if the variables are invalid
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
      log.warn('the last traces could not be exported');
    }
    return isFlushed;
  };
}

/** Starts tracing as OpenTelemetry's SDK for Node does, but without its exporters for logs and metrics. */
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
    // Shared work runs within spans, but no result depends on them.
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
