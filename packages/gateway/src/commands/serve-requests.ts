import { once } from 'node:events';
import { createHealth, DEFAULT_TIMEOUTS, type Health, listen } from '@store-gateway/http';
import { log } from '@store-gateway/ops';
import type { RateLimits } from '@store-gateway/http/limits';
import { isOfStandby, isWriteRejection, isUndefinedTableOrColumn } from '@store-gateway/postgres';
import type { Gateway } from '../definition.ts';
import { createLimits } from '../auth/limits.ts';
import { openIdentityProvider } from '../auth/admission.ts';
import type { Config } from '../config/config.ts';
import type { Database, GatewayDatabase } from '../database/client.ts';
import { createDeprecatedCalls } from '../usage/deprecated-calls.ts';

/** Closing connections after a minute spreads them over all processes, including new ones. */
const CONNECTION_AGE_MS = 60_000;

interface ServeOptions {
  readonly database: Database;
  readonly config: Config;
  readonly stopped: AbortSignal;
  readonly onListening: (url: string, rateLimits: RateLimits) => Promise<void> | void;
  /** Aborted when this process should stop listening on a port that it shares with other processes. */
  readonly leaving?: AbortSignal;
  /** Whether no other process serves on this port, so that probes have to report the shutdown. */
  readonly isLast?: () => boolean;
  /** Resolves when the supervisor has closed the port. Until then, the last worker keeps accepting connections. */
  readonly portClosed?: () => Promise<unknown>;
  /** Resolves when all workers serve. Until then, the service isn't ready. By default, this process serves alone. */
  readonly complete?: Promise<void>;
}

/** Serves until the process is stopped or has to leave the port, and then drains. */
export async function serveRequests(gateway: Gateway, options: ServeOptions): Promise<void> {
  const {
    database,
    config,
    stopped,
    onListening,
    leaving,
    complete,
    isLast = () => true,
    portClosed = () => Promise.resolve(),
  } = options;
  const deprecatedCalls = createDeprecatedCalls(database);
  const { createApp, createStore, expectAuditable, expectPrefixes, api } = await loadApp(gateway);
  if (stopped.aborted) {
    log.info('stopped before startup had finished');
    return;
  }
  const health = createDatabaseHealth(database, complete);
  const rateLimits = createLimits(gateway, database, config);
  using accessTokens = await openIdentityProvider(gateway.access, config);
  const versionKey = await database.$versionKey();
  const services = { database, deprecatedCalls, now: Date.now, versionKey };
  const { models } = gateway.prisma;
  const store = createStore(api, models, gateway.access.scopes);
  await expectPrefixes(store.schema, models, database);
  await expectAuditable(store.schema, models, database);
  const { listener, surfaceOf } = createApp(
    gateway,
    store,
    services,
    { ...config, rateLimits, accessTokens },
    health,
  );
  await database.$loadEngine();
  const { url, leave, close } = await listen(listener, {
    ...config,
    surfaceOf,
    timeouts: {
      ...DEFAULT_TIMEOUTS,
      ...(complete && { connection: CONNECTION_AGE_MS }),
    },
  });
  try {
    await onListening(url, rateLimits);
    const ending = leaving === undefined ? stopped : AbortSignal.any([stopped, leaving]);
    if (!ending.aborted) {
      await once(ending, 'abort');
    }
    log.info('stopping');
    if (leaving?.aborted === true) {
      await leave(stopped);
    }
  } finally {
    if (isLast()) {
      const noticeMs = health.end();
      await portClosed();
      await close(noticeMs);
    } else {
      await close(0);
    }
  }
  await Promise.all([rateLimits.flush(), deprecatedCalls.flush()]);
}

/** Loads most of the program while PostgreSQL starts, which takes longer than loading. */
export async function preloadApp(gateway: Gateway): Promise<void> {
  await loadApp(gateway);
}

async function loadApp(gateway: Gateway) {
  const [app, store, auditable, api] = await Promise.all([
    import('../app/app.ts'),
    import('../store.ts'),
    import('../database/audit.ts'),
    gateway.load(),
  ]);
  return { ...app, ...store, ...auditable, api };
}

const INCOMPLETE = new Error('some workers are still starting');

/**
 * Creates the health checks. The service is ready while the database responds, has all tables and columns, and accepts writes.
 * Migrations are only checked at startup.
 *
 * @param complete resolves when all workers serve
 */
export function createDatabaseHealth(
  database: Pick<GatewayDatabase, '$ping'>,
  complete: Promise<void> = Promise.resolve(),
): Health {
  let isComplete = false;
  void complete.then(() => (isComplete = true));
  return createHealth(async () => {
    if (!isComplete) {
      throw INCOMPLETE;
    }
    await database.$ping();
  }, reasonOf);
}

function reasonOf(error: unknown): string {
  if (error === INCOMPLETE) return INCOMPLETE.message;
  if (isOfStandby(error)) return 'the database is a standby';
  if (isUndefinedTableOrColumn(error)) return 'the database lacks a table or a column';
  return isWriteRejection(error) ? 'the database rejects writes' : 'the database cannot be used';
}
