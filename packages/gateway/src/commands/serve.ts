import type { Gateway } from '../definition.ts';
import { isatty } from 'node:tty';
import { type Command, expectNone } from '@store-gateway/ops/command-line';
import { StartupFailure, log } from '@store-gateway/ops';
import { expectFreePort, shutdownSignal } from '@store-gateway/http';
import { readConfig, VARIABLE_NAMES, type Config } from '../config/config.ts';
import { mistakenVariables } from '../config/mistaken-variables.ts';
import { writeLogTo } from '../log/output.ts';
import { logFrom } from '../log/service-log.ts';
import { helpOf } from './serve-help.ts';

/** Catches shutdown signals from now on. */
export function serveCommand(gateway: Gateway): Command {
  logFrom();
  /** What keeps running if the process exits at once. */
  let stillRunning: string | undefined;
  // From the start: a signal during startup takes effect where nothing is half-started.
  // A terminal that is closed sends SIGHUP; without one, it asks for new workers.
  const stopped = shutdownSignal({
    signals: ['SIGTERM', 'SIGINT', ...(isatty(0) || isatty(1) ? (['SIGHUP'] as const) : [])],
    stillRunning: () => stillRunning,
  });
  // By default it would end a start that has not got so far.
  process.on('SIGHUP', () => undefined);

  /** Serves until a shutdown signal. */
  async function serve(config: Config, env: NodeJS.ProcessEnv): Promise<void> {
    logFrom(config.logLevel);
    if (gateway.log !== undefined) {
      writeLogTo(gateway.log);
    }
    for (const { variable, setting } of mistakenVariables(env)) {
      log.warn({ variable }, `there is no such setting: did you mean ${setting}?`);
    }
    if (config.databaseUrl === undefined) {
      // As after a SIGKILL: packages/local/README.md, "How processes share a server".
      stillRunning = `the embedded PostgreSQL in ${config.dataDirectory} keeps running, and the next start takes it over`;
      const { hasEmbeddedPostgres } = await import('@store-gateway/local');
      // No store is made for a start that can't serve it.
      if (!(await hasEmbeddedPostgres(config.dataDirectory))) await expectFreePort(config);
    }
    // Most starts have no use for the other one.
    const run =
      config.workers === 1
        ? (await import('./serve-alone.ts')).serveAlone
        : (await import('./serve-supervisor.ts')).serveByWorkers;
    await run(gateway, config, stopped);
    stillRunning = undefined;
  }

  return {
    name: gateway.serviceName,
    help: helpOf(gateway),
    options: {},
    variables: VARIABLE_NAMES,
    read: ({ positionals }) => {
      expectNone(positionals);
      return async ({ env }) => {
        await serve(readConfig(env, gateway.defaults), env).catch((error: unknown) =>
          reportFailure(error, stopped),
        );
        return '';
      };
    },
  };
}

/** @throws StartupFailure, unless the process was stopped anyway */
function reportFailure(error: unknown, stopped: AbortSignal): void {
  if (!(error instanceof StartupFailure)) {
    log.fatal({ err: error }, 'stopped by an unexpected error');
    process.exitCode = 1;
  } else if (stopped.aborted) {
    log.info({ reason: error.message }, 'stopped before startup had finished');
  } else {
    throw error;
  }
}
