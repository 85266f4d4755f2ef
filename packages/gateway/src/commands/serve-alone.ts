import type { Gateway } from '../definition.ts';
import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { log } from '@store-gateway/ops';
import { startRetention } from '../app/retention.ts';
import type { Config } from '../config/config.ts';
import { startDatabase } from '../database/start.ts';
import { greet } from './greet.ts';
import { loadApp, serveRequests } from './serve-requests.ts';
import { startMetrics, startTraces } from './serve-telemetry.ts';

/** Serves in this process until a shutdown signal. */
export async function serveAlone(
  gateway: Gateway,
  config: Config,
  stopped: AbortSignal,
): Promise<void> {
  process.on('SIGHUP', () => {
    if (!stopped.aborted) log.warn('ignored SIGHUP: it replaces workers, and WORKERS=1 has none');
  });
  // Before anything that is traced or measured, and until all of it has ended.
  await using telemetry = new AsyncDisposableStack();
  telemetry.use(await startTraces(gateway, config));
  telemetry.use(await startMetrics(gateway, config));
  const { database, facts, stop } = await startDatabase(gateway, config, {
    // A failure is reported below, where the app is needed.
    onLaunched: () => void loadApp(gateway).catch(() => undefined),
    stopped,
    poolSize: config.poolSize,
    replicaUrls: config.replicaUrls,
  });
  try {
    await serveRequests(gateway, {
      database,
      config,
      stopped,
      onListening: async (url, rateLimits) => {
        log.info({ ...facts, url }, 'listening');
        startRetention(database, rateLimits, stopped);
        await greet(gateway, url, database, config, stopped);
      },
    });
  } finally {
    await stop();
  }
}
