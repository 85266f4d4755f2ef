import { once } from 'node:events';
import { listen } from '@gateway/http-server/listen';
import { log } from '@gateway/log/log';
import type { RateLimits } from '@gateway/rate-limits/rate-limits';
import { createDatabaseHealth } from '../app/database-health.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/client.ts';
import { createDeprecatedCalls } from '../usage/deprecated-calls.ts';

/**
 * Where others go on serving there is time for active clients to send their next request, which is answered with
 * `Connection: close`: one that is closed as idle may be used at the very moment.
 */
const IDLE_MS = 2500;

export interface ServeOptions {
  readonly database: Database;
  readonly config: Config;
  readonly stopped: AbortSignal;
  readonly onListening: (url: string, rateLimits: RateLimits) => Promise<void> | void;
  /** Whether nobody else serves on this port once this process is stopped, so that probes have to hear of it. */
  readonly isLast?: () => boolean;
}

/** Serves until it is stopped, and drains. */
export async function serveRequests(options: ServeOptions): Promise<void> {
  const { database, config, stopped, onListening, isLast = () => true } = options;
  const deprecatedCalls = createDeprecatedCalls(database);
  const services = { database, deprecatedCalls, now: Date.now };
  const { createApp, createRateLimits, surfaceOf } = await loadApp();
  if (stopped.aborted) {
    log.info('stopped before it was up');
    return;
  }
  const health = createDatabaseHealth(database);
  const rateLimits = createRateLimits(database, config, () => performance.now());
  const app = createApp(services, { ...config, rateLimits }, health);
  const { url, close } = await listen(app, { ...config, surfaceOf });
  try {
    await onListening(url, rateLimits);
    if (!stopped.aborted) {
      await once(stopped, 'abort');
    }
    log.info('stopping');
  } finally {
    await (isLast() ? close(health.end()) : close(0, IDLE_MS));
  }
  await Promise.all([rateLimits.flush(), deprecatedCalls.flush()]);
}

/** Most of the program, loaded while PostgreSQL starts, which costs no time. */
export async function loadApp() {
  const [app, surface, rateLimits] = await Promise.all([
    import('../app/app.ts'),
    import('../app/surface.ts'),
    import('@gateway/rate-limits/rate-limits'),
  ]);
  return { ...app, ...surface, ...rateLimits };
}
