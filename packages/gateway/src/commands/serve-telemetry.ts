import type { Gateway } from '../definition.ts';
import { log } from '@store-gateway/ops';
import type { Config } from '../config/config.ts';

type Recorded = Pick<Gateway, 'metricsPrefix' | 'version'>;

/** Serves metrics if they are configured. @param aggregate what to report instead of this process's own metrics */
export async function startMetrics(
  { metricsPrefix: prefix, version }: Recorded,
  { metricsHost: host, metricsPort: port }: Config,
  aggregate?: (own: () => Promise<string>) => Promise<string>,
): Promise<AsyncDisposable | undefined> {
  if (port === undefined) {
    return undefined;
  }
  const { startMetrics: start } = await import('@store-gateway/opentelemetry/metrics');
  const metrics = await start({ host, port, prefix, version, aggregate });
  log.info({ url: metrics.url }, 'serving metrics');
  return metrics;
}

/** Records metrics, which a different process serves, if they are configured. */
export async function recordMetrics(
  { metricsPrefix: prefix, version }: Recorded,
  { metricsPort }: Config,
) {
  if (metricsPort === undefined) {
    return undefined;
  }
  const { startRecording } = await import('@store-gateway/opentelemetry/metrics');
  return startRecording({ prefix, version });
}

/** Sends traces, if they are configured. */
export async function startTraces(
  { serviceName }: Pick<Gateway, 'serviceName'>,
  { tracing }: Config,
): Promise<AsyncDisposable | undefined> {
  if (!tracing) {
    return undefined;
  }
  const { startTracing } = await import('@store-gateway/opentelemetry/tracing');
  const stop = startTracing(serviceName);
  log.info('exporting traces');
  return {
    [Symbol.asyncDispose]: async () => {
      if (!(await stop())) {
        // The exporter keeps retrying, which would delay the exit.
        setTimeout(() => process.exit(), 0).unref();
      }
    },
  };
}
