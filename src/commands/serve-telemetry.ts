import packageJson from '../../package.json' with { type: 'json' };
import { log } from '@gateway/log/log';
import type { Config } from '../config.ts';

/** Begins the names of the service's own metrics. */
export const METRICS_PREFIX = 'animal_store_';

const RECORDED = { prefix: METRICS_PREFIX, version: packageJson.version };

/** Serves metrics if they are configured. @param addUp what to tell instead of this process's own metrics */
export async function startMetrics(
  { metricsHost: host, metricsPort: port }: Config,
  addUp?: (own: () => Promise<string>) => Promise<string>,
): Promise<AsyncDisposable | undefined> {
  if (port === undefined) {
    return undefined;
  }
  const { startMetrics: start } = await import('@gateway/telemetry/metrics/start');
  const metrics = await start({ host, port, ...RECORDED, addUp });
  log.info({ url: metrics.url }, 'metrics');
  return metrics;
}

/** Records metrics that another process serves, if they are configured. */
export async function recordMetrics({ metricsPort }: Config) {
  if (metricsPort === undefined) {
    return undefined;
  }
  const { startRecording } = await import('@gateway/telemetry/metrics/start');
  return startRecording(RECORDED);
}

/** Sends traces if that is configured. */
export async function startTraces({ tracing }: Config): Promise<AsyncDisposable | undefined> {
  if (!tracing) {
    return undefined;
  }
  const { startTracing } = await import('@gateway/telemetry/tracing/start');
  const stop = startTracing('animal-store-gateway');
  log.info('traces');
  return {
    [Symbol.asyncDispose]: async () => {
      if (!(await stop())) {
        // Its retries would delay the exit.
        setTimeout(() => process.exit(), 0).unref();
      }
    },
  };
}
