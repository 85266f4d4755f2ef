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
import { HELP } from './serve-help.ts';

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
    replicaUrls: config.replicaUrls,
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
