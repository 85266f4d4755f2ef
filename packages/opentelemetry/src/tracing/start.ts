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
      log.warn('the last traces could not be exported');
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
