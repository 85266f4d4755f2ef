import { log } from '@gateway/log/log';
import { startRetention } from '../app/retention.ts';
import { makeFirstKey } from '../auth/first-key.ts';
import type { Config } from '../config.ts';
import { startDatabase } from '../database/start.ts';
import { greeting } from './greeting.ts';
import { loadApp, serveRequests } from './serve-requests.ts';
import { startMetrics, startTraces } from './serve-telemetry.ts';

/** Serves in this process until a shutdown signal. */
export async function serveAlone(config: Config, stopped: AbortSignal): Promise<void> {
  process.on('SIGHUP', () => {
    if (!stopped.aborted) log.warn('SIGHUP replaces workers: with WORKERS=1 there are none');
  });
  // Before anything that is traced or measured, and until all of it has ended.
  await using telemetry = new AsyncDisposableStack();
  telemetry.use(await startTraces(config));
  telemetry.use(await startMetrics(config));
  const { database, stop } = await startDatabase(config, {
    // A failure is reported below, where the app is needed.
    onLaunched: () => void loadApp().catch(() => undefined),
    stopped,
    poolSize: config.poolSize,
    replicaUrls: config.replicaUrls,
  });
  try {
    await serveRequests({
      database,
      config,
      stopped,
      onListening: async (url, rateLimits) => {
        log.info({ url }, 'listening');
        startRetention(database, rateLimits, stopped);
        const firstKey = await makeFirstKey(database, stopped);
        const tellsSchema = config.graphqlIntrospection;
        process.stderr.write(greeting({ url, firstKey, tellsSchema }, process.stderr));
      },
    });
  } finally {
    await stop();
  }
}
