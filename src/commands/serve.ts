import { once } from 'node:events';
import packageJson from '../../package.json' with { type: 'json' };
import { expectNone, runCommand } from '@gateway/command-line/run-command';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { listen } from '@gateway/http-server/listen';
import { shutdownSignal } from '@gateway/http-server/shutdown-signal';
import { log } from '@gateway/log/log';
import { createDatabaseHealth } from '../app/database-health.ts';
import { startRetention } from '../app/retention.ts';
import { makeFirstKey } from '../auth/first-key.ts';
import { readConfig, VARIABLE_NAMES, type Config } from '../config.ts';
import { startDatabase } from '../database/start.ts';
import { createDeprecatedCalls } from '../usage/deprecated-calls.ts';
import { greeting } from './greeting.ts';

const HELP = `Runs the Animal Store Gateway: a store's animals over GraphQL and REST, until Ctrl-C or SIGTERM.

  npm start

It takes no arguments, but environment variables; an empty one counts as unset:

  PORT                       TCP port, by default 4000; 0 is any free one, which the log tells
  HOST                       address to listen on, by default 127.0.0.1
  PUBLIC_URL                 where clients reach the service, such as https://shop.example/store, for absolute links;
                             by default they are relative to the request
  DATABASE_URL               a PostgreSQL, 14 or newer, instead of the embedded one
  DATA_DIR                   folder of the embedded PostgreSQL, by default data
  MIGRATE                    on (the default), or off: expects that npm run migrate was run, and needs only
                             to read and write rows
  POOL_SIZE                  maximum of connections to the database, by default 12: 2 for keys, half of the
                             others for writes
  METRICS_PORT               TCP port of Prometheus metrics, at /metrics; by default none
  METRICS_HOST               address of the metrics, by default 127.0.0.1; they need no key
  OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT
                             where traces go, by default nowhere; OpenTelemetry's other variables apply
  LOG_LEVEL                  fatal, error, warn, info (the default), debug, trace or silent
  MAX_CONNECTIONS            concurrent connections, by default 4000
  MAX_OPEN_REQUESTS          concurrent requests, by default 1000; any more get 503. One key may have half of
                             them; a tenth may come without a key
  RATE_LIMIT                 requests of each key, as a burst and the seconds in which the quota refills: by
                             default 60000/60s; or off
  FAILED_AUTH_LIMIT          the same for requests with invalid keys, of each client address: by default
                             60/60s; or off
  TRUSTED_PROXIES            proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8 or loopback,
                             separated by commas; by default none
  CORS_ORIGINS               origins whose pages may call it from a browser, such as https://shop.example,
                             separated by commas; * for all, by default none
  GRAPHQL_INTROSPECTION      on (the default), or off: GraphQL hides its schema
  GRAPHQL_TRUSTED_DOCUMENTS  also (the default), or only: GraphQL runs trusted documents only; see
                             npm run documents -- --help

Health checks are at /livez and /readyz, without a key. SIGTERM or Ctrl-C shuts down gracefully: in-flight
requests finish first, within 10 s. A second one exits at once, with code 130 or 143; the embedded
PostgreSQL keeps running then, and the next start takes it over.

Exit codes: 0 stopped, 1 failed, 2 usage error.
`;

/** What keeps running if the process exits at once. */
let stillRunning: string | undefined;

// From the start: a signal during startup takes effect where nothing is half-started.
const stopped = shutdownSignal(() => stillRunning);

await runCommand({
  name: 'animal-store-gateway',
  help: HELP,
  options: {},
  variables: VARIABLE_NAMES,
  read: ({ positionals }) => {
    expectNone(positionals);
    return async ({ env }) => {
      await serve(readConfig(env)).catch(reportFailure);
      return '';
    };
  },
});

/** @throws StartupFailure, unless the process was stopped anyway */
function reportFailure(error: unknown): void {
  if (!(error instanceof StartupFailure)) {
    log.fatal({ err: error }, 'stopped by an unexpected error');
    process.exitCode = 1;
  } else if (stopped.aborted) {
    log.info({ reason: error.message }, 'stopped before it was up');
  } else {
    throw error;
  }
}

/** Serves until a shutdown signal. */
async function serve(config: Config): Promise<void> {
  log.level = config.logLevel;
  // Before anything that is traced or measured, and until all of it has ended.
  await using telemetry = new AsyncDisposableStack();
  telemetry.use(await startTraces(config));
  telemetry.use(await startMetrics(config));
  if (config.databaseUrl === undefined) {
    // As after a SIGKILL: docs/design.md, "Embedded PostgreSQL".
    stillRunning = `the embedded PostgreSQL in ${config.dataDirectory} goes on, and the next start takes it over`;
  }
  const { database, stop } = await startDatabase(config, {
    // A failure is reported below, where the app is needed.
    onLaunched: () => void loadApp().catch(() => undefined),
    stopped,
    poolSize: config.poolSize,
  });
  const deprecatedCalls = createDeprecatedCalls(database);
  const services = { database, deprecatedCalls, now: Date.now };
  try {
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

async function startMetrics({ metricsHost, metricsPort }: Config) {
  if (metricsPort === undefined) {
    return undefined;
  }
  const { startMetrics: start } = await import('@gateway/telemetry/metrics/start');
  const metrics = await start({
    host: metricsHost,
    port: metricsPort,
    prefix: 'animal_store_',
    version: packageJson.version,
  });
  log.info({ url: metrics.url }, 'metrics');
  return metrics;
}

async function startTraces({ tracing }: Config): Promise<AsyncDisposable | undefined> {
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

/** Most of the program, loaded while PostgreSQL starts, which costs no time. */
async function loadApp() {
  const [app, surface, rateLimits] = await Promise.all([
    import('../app/app.ts'),
    import('../app/surface.ts'),
    import('@gateway/rate-limits/rate-limits'),
  ]);
  return { ...app, ...surface, ...rateLimits };
}
