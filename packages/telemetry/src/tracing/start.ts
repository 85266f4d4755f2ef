import { diag, DiagLogLevel } from '@opentelemetry/api';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { log } from '@gateway/log/log';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { traceExecutions } from './executions.ts';
import { traceCoalescer } from './coalesced-reads.ts';
import { traceRequests } from './requests.ts';
import { noteDatabaseCall, traceBatches, traceStatement } from './statements.ts';
import { createTroubleLog } from './export-failures.ts';
import { installTracer } from '../tracer.ts';

/** Milliseconds that a stop waits for a collector to take the last spans. */
const FLUSH_PATIENCE = 2000;

/**
 * Traces requests from now on, as OpenTelemetry's own variables (OTEL_…) say, which its SDK reads itself.
 *
 * @returns what is to be called when no more requests come: it exports the last spans. It resolves in 2 s at
 *   the latest, and then to whether that was done; if not, the SDK goes on trying for a while.
 * @throws StartupFailure if the variables make no sense to the SDK
 */
export function startTracing(): () => Promise<boolean> {
  const sdk = startSdk();
  installTracer({
    requests: traceRequests,
    executions: traceExecutions,
    coalescer: traceCoalescer,
    batches: traceBatches,
    statement: traceStatement,
    databaseCalled: noteDatabaseCall,
  });
  return async () => {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const patience = setTimeout(resolve, FLUSH_PATIENCE, false);
    const flushed = await Promise.race([sdk.shutdown().then(asDone, asFailed), late]);
    clearTimeout(patience);
    if (!flushed) {
      log.warn('the last traces are not exported');
    }
    return flushed;
  };
}

const asDone = () => true;
const asFailed = () => false;

function startSdk(): NodeSDK {
  try {
    const sdk = new NodeSDK({
      // What the environment says of it comes on top.
      resource: defaultResource().merge(
        resourceFromAttributes({ 'service.name': 'animal-store-gateway' }),
      ),
      // Metrics and logs have ways of their own, and the SDK would export them for the same variables.
      metricReaders: [],
      logRecordProcessors: [],
    });
    // Not before: the constructor, given OTEL_LOG_LEVEL, puts the console there.
    diag.setLogger(createTroubleLog(), {
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
