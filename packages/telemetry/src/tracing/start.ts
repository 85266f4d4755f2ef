import { diag, DiagLogLevel } from '@opentelemetry/api';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { log } from '@gateway/log/log';
import { installTracer } from '../tracer.ts';
import { traceCoalescer } from './coalescer.ts';
import { createDiagnosticsLog } from './diagnostics-log.ts';
import { traceExecutions } from './executions.ts';
import { traceRequests } from './requests.ts';
import { traceBatches, traceDatabaseCall, traceStatement } from './statements.ts';

/** How long a stop waits for a collector to take the last spans. */
const FLUSH_TIMEOUT_MS = 2000;

/**
 * Traces requests from now on, configured by OpenTelemetry's own variables (OTEL_…), which its SDK reads itself.
 *
 * @param serviceName unless the environment names it
 * @returns exports the last spans, once no more requests come; resolves within 2 s to whether that was done. If not, the
 *   SDK goes on trying for a while.
 * @throws StartupFailure if the SDK can't make sense of the variables
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

function startSdk(serviceName: string): NodeSDK {
  try {
    const sdk = new NodeSDK({
      // The environment takes precedence.
      resource: defaultResource().merge(resourceFromAttributes({ 'service.name': serviceName })),
      // The SDK would export them for the same variables as traces.
      metricReaders: [],
      logRecordProcessors: [],
    });
    // Not before: given OTEL_LOG_LEVEL, the constructor installs the console.
    diag.setLogger(createDiagnosticsLog(), {
      logLevel: DiagLogLevel.WARN,
      suppressOverrideMessage: true,
    });
    sdk.start();
    return sdk;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupFailure(`tracing can't be started by the variables OTEL_…: ${reason}`, {
      cause: error,
    });
  }
}
