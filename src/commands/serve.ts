import { once } from 'node:events';
import packageJson from '../../package.json' with { type: 'json' };
import { listen } from '@gateway/http-server/listen';
import { expectNone, runCommand } from '@gateway/command-line/run-command';
import { readConfig, type Config } from '../config.ts';
import { startDatabase } from '../database/start.ts';
import { makeFirstKey } from '../auth/first-key.ts';
import { greeting } from './greeting.ts';
import { log } from '@gateway/log/log';
import { createDatabaseHealth } from '../app/database-health.ts';
import { startRetention } from '../app/retention.ts';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { shutdownSignal } from '@gateway/http-server/shutdown-signal';
import { createDeprecatedCalls } from '../usage/deprecated-calls.ts';

const HELP = `Runs the Animal Store Gateway: a store's animals over GraphQL and REST, until Ctrl-C or SIGTERM.

  npm start

It takes no arguments, but environment variables; an empty one counts as unset:

  PORT                       TCP port, by default 4000; 0 is any free one, which the log tells
  HOST                       address to listen on, by default 127.0.0.1
  DATABASE_URL               a PostgreSQL, 14 or newer, instead of the embedded one
  DATA_DIR                   folder of the embedded PostgreSQL, by default data
  MIGRATE                    on (the default), or off: it expects that npm run migrate was run, and needs no
                             more of the database than to read and write rows
  POOL_SIZE                  connections to the database, at most: by default 12, of which 2 are for keys and
                             half of the others for what writes
  METRICS_PORT               TCP port for Prometheus's metrics, at /metrics; by default there are none
  METRICS_HOST               address for them, by default 127.0.0.1; they need no key
  OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT
                             where traces go: by default there are none; the other variables of
                             OpenTelemetry say how
  LOG_LEVEL                  fatal, error, warn, info (the default), debug, trace or silent
  MAX_CONNECTIONS            connections at a time, by default 4000
  MAX_OPEN_REQUESTS          requests at a time, by default 1000; whatever comes beyond either is 503. One key
                             may have half of them, and a tenth may come without a key
  RATE_LIMIT                 requests that each key may send at once, and that it gets back evenly in so many
                             seconds: by default 60000/60s; or off
  FAILED_AUTH_LIMIT          the same of requests with keys that are not valid, for each client address: by
                             default 60/60s; or off
  TRUSTED_PROXIES            addresses of proxies in front, whose X-Forwarded-For tells the client's address:
                             such as 10.0.0.0/8 or loopback, with commas between them; by default none
  CORS_ORIGINS               origins whose pages may use it from a browser, such as https://shop.example,
                             with commas between them; * is all, and by default there are none
  GRAPHQL_INTROSPECTION      on (the default), or off: GraphQL doesn't tell its schema
  GRAPHQL_TRUSTED_DOCUMENTS  also (the default), or only: GraphQL runs the documents that were stored,
                             and no others; see npm run documents -- --help

Told to stop, it answers what is under way and ends within 10 s. Told once more, it ends at once, with exit
code 130 or 143; the embedded PostgreSQL goes on then, and the next start takes it over. What it answers
at /livez and /readyz needs no key.

Exit codes: 0 stopped, 1 failed, 2 not understood.
`;

/** What outlives the process if it ends at once. */
let stillRunning: string | undefined;

// Asked for before anything is started. A signal that comes meanwhile is heeded where nothing is left
// half-started: what has begun is done with, and what has not is left.
const toldToStop = shutdownSignal(() => stillRunning);

await runCommand({
  name: 'animal-store-gateway',
  help: HELP,
  options: {},
  read: ({ positionals }) => {
    expectNone(positionals);
    return serve;
  },
});

/** Serves until it is told to stop. @throws StartupFailure */
async function serve(): Promise<string> {
  try {
    await serveUntil(toldToStop);
  } catch (error) {
    if (error instanceof StartupFailure) {
      if (!toldToStop.aborted) {
        throw error;
      }
      // It has ended, which is all that was still wanted of it.
      log.info({ reason: error.message }, 'stopped before it was up');
      return '';
    }
    log.fatal({ err: error }, 'stopped by an unexpected error');
    process.exitCode = 1;
  }
  return '';
}

async function serveUntil(stopped: AbortSignal): Promise<void> {
  // oxlint-disable-next-line node/no-process-env -- the one place where it is handed over
  const config = readConfig(process.env);
  log.level = config.logLevel;
  // Before anything is made that is to be traced. Last to end, for it may have to end the process.
  await using traces = await tracesOf(config);
  if (traces !== undefined) {
    log.info('traces');
  }
  // Before anything is made that is to be measured; and it measures to the end.
  await using metrics = await metricsOf(config);
  if (metrics !== undefined) {
    log.info({ url: metrics.url }, 'metrics');
  }
  if (config.databaseUrl === undefined) {
    // As after a SIGKILL: docs/design.md, "Embedded PostgreSQL".
    stillRunning = `the embedded PostgreSQL in ${config.dataDirectory} goes on, and the next start takes it over`;
  }
  const { database, stop } = await startDatabase(config, {
    meanwhile: preloadApp,
    stopped,
    poolSize: config.poolSize,
  });
  const deprecatedCalls = createDeprecatedCalls(database);
  const world = { database, deprecatedCalls, now: Date.now };
  try {
    const { createApp, createRateLimits, surfaceOf } = await loadApp();
    if (stopped.aborted) {
      log.info('stopped before it was up');
      return;
    }
    const health = createDatabaseHealth(database);
    const rateLimits = createRateLimits(database, config, () => performance.now());
    const app = createApp(world, { ...config, rateLimits }, health);
    const { url, close } = await listen(app, { ...config, surfaceOf });
    try {
      log.info({ url }, 'listening');
      startRetention(database, rateLimits, stopped);
      const firstKey = await makeFirstKey(database, stopped);
      const tellsSchema = config.graphqlIntrospection;
      process.stderr.write(greeting({ url, firstKey, tellsSchema }, process.stderr));
      if (!stopped.aborted) {
        await once(stopped, 'abort');
      }
      log.info('stopping');
    } finally {
      await close(health.end());
    }
    await Promise.all([rateLimits.flush(), deprecatedCalls.flush()]);
  } finally {
    await stop();
    stillRunning = undefined;
  }
}

/** Nothing of it is loaded where nobody wants it. */
async function metricsOf({ metricsHost, metricsPort }: Config) {
  if (metricsPort === undefined) {
    return undefined;
  }
  const { startMetrics } = await import('@gateway/telemetry/metrics/start');
  return startMetrics({
    host: metricsHost,
    port: metricsPort,
    prefix: 'animal_store_',
    version: packageJson.version,
  });
}

/** The same goes for these. */
async function tracesOf({ tracing }: Config): Promise<AsyncDisposable | undefined> {
  if (!tracing) {
    return undefined;
  }
  const { startTracing } = await import('@gateway/telemetry/tracing/start');
  const stop = startTracing('animal-store-gateway');
  return {
    [Symbol.asyncDispose]: async () => {
      if (!(await stop())) {
        // Its tries to reach the collector would hold the process up.
        setTimeout(() => process.exit(), 0).unref();
      }
    },
  };
}

function preloadApp(): void {
  // Whatever is wrong with it, whoever needs it is told.
  loadApp().catch(() => undefined);
}

/**
 * Most of the program. Modules are loaded in one go, without a pause in which PostgreSQL could be launched:
 * loaded after that, they cost no time.
 */
async function loadApp() {
  const [app, surface, rateLimits] = await Promise.all([
    import('../app/app.ts'),
    import('../app/surface.ts'),
    import('@gateway/rate-limits/rate-limits'),
  ]);
  return { ...app, ...surface, ...rateLimits };
}
