import packageJson from '../../package.json' with { type: 'json' };
import { startMetrics } from '@store-gateway/opentelemetry/metrics';
import { captureLog } from './captured-log.ts';
import { keptForFile } from './clean-up.ts';
import { startGateway, type GatewayOptions } from './gateway.ts';
import { measured } from './measured.ts';

export type MeasuredGateway = Awaited<ReturnType<typeof startMeasuredGateway>>;

/**
 * Starts the whole service in this process, with metrics. A file can start only one, because the meters belong to the
 * process.
 */
export async function startMeasuredGateway(options: GatewayOptions = {}) {
  const metrics = keptForFile(
    await startMetrics({
      host: '127.0.0.1',
      port: 0,
      prefix: 'animal_store_',
      version: packageJson.version,
    }),
  );
  const gateway = await startGateway(options);
  const log = captureLog();
  const { url, key } = gateway;
  const { line } = log;
  return Object.assign(gateway, {
    log,
    ...measured({ url, key, metricsUrl: metrics.url, line }),
  });
}
