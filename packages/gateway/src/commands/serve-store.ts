import type { Gateway } from '../definition.ts';
import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import type { RateLimits } from '@store-gateway/http/limits';
import { log } from '@store-gateway/ops';
import { startRetention } from '../app/retention.ts';
import { createLimits } from '../auth/limits.ts';
import { type Config, MINIMUM_POOL_SIZE } from '../config/config.ts';
import { startDatabase } from '../database/start.ts';
import { greet } from './greet.ts';
import { startMetrics, startTraces } from './serve-telemetry.ts';

/** Serves until a shutdown signal, in this process or in workers, and does what only one process may do. */
export async function serveStore(
  gateway: Gateway,
  config: Config,
  stopped: AbortSignal,
): Promise<void> {
  // Loads only the module that this start needs.
  const alone = config.workers === 1 ? await import('./serve-requests.ts') : undefined;
  const workers = alone
    ? undefined
    : (await import('./serve-workers.ts')).createWorkers(gateway, config);
  process.on('SIGHUP', () => {
    if (stopped.aborted) return;
    if (workers) workers.replaceAll();
    else log.warn('ignored SIGHUP: it replaces workers, and WORKERS=1 has none');
  });
  // Before anything is traced or measured, and until all of that has ended.
  await using telemetry = new AsyncDisposableStack();
  if (alone) telemetry.use(await startTraces(gateway, config));
  telemetry.use(await startMetrics(gateway, config, workers?.aggregate));
  const { database, address, facts, stop } = await startDatabase(gateway, config, {
    stopped,
    poolSize: alone ? config.poolSize : MINIMUM_POOL_SIZE,
    replicaUrls: alone ? config.replicaUrls : [],
    // A failure is reported below, where the app is needed.
    onLaunched: () => void alone?.loadApp(gateway).catch(() => undefined),
  });
  const onListening = async (url: string, rateLimits: RateLimits): Promise<void> => {
    log.info({ ...facts, url, ...(workers && { workers: config.workers }) }, 'listening');
    startRetention(database, rateLimits, stopped);
    await greet(gateway, url, database, config, stopped);
  };
  try {
    await alone?.serveRequests(gateway, { database, config, stopped, onListening });
    await workers?.serve(address, stopped, (url) =>
      onListening(url, createLimits(gateway, database, config)),
    );
  } finally {
    await stop();
  }
}
