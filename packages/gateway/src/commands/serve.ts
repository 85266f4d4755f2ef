import type { Gateway } from '../definition.ts';
import {
  type Config,
  mistakenVariables,
  readConfig,
  SETTINGS,
  VARIABLE_NAMES,
} from '../config/config.ts';
import { isatty } from 'node:tty';
import { type Command, expectNone } from '@store-gateway/ops/command-line';
import { StartupFailure, log } from '@store-gateway/ops';
import { expectFreePort, shutdownSignal } from '@store-gateway/http';
import { logFrom, writeLogTo } from '../log/service-log.ts';

/** Columns of a line, and of the names of variables. */
const WIDTH = 109;
const NAMES = 29;

/** The text of `npm start -- --help`. */
export function helpOf({ title, description, defaults }: Gateway): string {
  const variables = Array.from(SETTINGS.values(), ({ variable, fallback, help }) =>
    entry(variable, help(defaults[variable] || fallback)),
  );
  return `Runs the ${title}: ${description} over GraphQL and REST, until Ctrl-C or SIGTERM.

  npm start

It takes no arguments. Environment variables configure it; an empty one counts as unset:

${variables.join('\n')}
  OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT
${entry('', "turn traces on; by default off. OpenTelemetry's other variables apply")}

Health checks are at /livez and /readyz, without a key. SIGTERM or Ctrl-C shuts down gracefully: in-flight
requests finish first, within 10 s. A second signal exits at once, with code 130 or 143; the embedded
PostgreSQL then keeps running, and the next start takes it over. With several WORKERS, SIGHUP replaces them
one by one, without a failed request.

Exit codes: 0 stopped, 1 failed, 2 usage error.
`;
}

/** A name with its description beside it. */
function entry(name: string, meaning: string): string {
  let lines = `  ${name}`.padEnd(NAMES);
  let column = NAMES;
  for (const [index, word] of meaning.split(' ').entries()) {
    if (column + word.length >= WIDTH) {
      lines += `\n${' '.repeat(NAMES)}${word}`;
      column = NAMES + word.length;
    } else {
      lines += index === 0 ? word : ` ${word}`;
      column += word.length + 1;
    }
  }
  return lines;
}

/** Catches shutdown signals from now on. */
export function serveCommand(gateway: Gateway): Command {
  logFrom();
  /** What keeps running if the process exits immediately. */
  let stillRunning: string | undefined;
  // From the start: a signal during startup takes effect between its stages, when nothing is half-started.
  // A terminal that is closed sends SIGHUP; without one, it asks for new workers.
  const stopped = shutdownSignal({
    signals: ['SIGTERM', 'SIGINT', ...(isatty(0) || isatty(1) ? (['SIGHUP'] as const) : [])],
    stillRunning: () => stillRunning,
  });
  // By default it would end the process during startup.
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
      // A start that can't serve creates no database.
      if (!(await hasEmbeddedPostgres(config.dataDirectory))) await expectFreePort(config);
    }
    // Not needed for the help and for usage errors.
    const { serveStore } = await import('./serve-store.ts');
    await serveStore(gateway, config, stopped);
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
