import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { type Command, rejectPositionals } from '@store-gateway/ops/command-line';
import { log, StartupFailure } from '@store-gateway/ops';
import { expectFreePort, shutdownSignal } from '@store-gateway/http';
import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import type { RateLimits } from '@store-gateway/http/limits';
import { type KeyLookups, ensureFirstKey } from '@store-gateway/access';
import { isNonNullType } from 'graphql';
import type { PreparedRoute, Rest } from '@store-gateway/rest';
import type { Gateway } from '../definition.ts';
import {
  type Config,
  MINIMUM_POOL_SIZE,
  misspelledVariables,
  readConfig,
  SETTINGS,
  VARIABLE_NAMES,
} from '../config/config.ts';
import { logFrom, writeLogTo } from '../log/service-log.ts';
import { startRetention } from '../app/retention.ts';
import { createLimits } from '../auth/limits.ts';
import { startDatabase } from '../database/start.ts';
import { startMetrics, startTraces } from './serve-telemetry.ts';

/** The width of a line, and of the column of variable names. */
const WIDTH = 109;
const NAMES = 29;

/** Returns the text of `npm start -- --help`. */
function helpOf({ title, description, defaults }: Gateway): string {
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

/** Formats a name and its description in two columns. */
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

/** Returns the command that serves, and catches shutdown signals from now on. */
export function serveCommand(gateway: Gateway): Command {
  logFrom();
  /** Describes what would keep running after an immediate exit, for the log line. */
  let stillRunning: string | undefined;
  // A signal during startup takes effect between stages, when nothing is half-started. A terminal that closes sends SIGHUP to
  // stop the process; without a terminal, SIGHUP asks for new workers.
  const stopped = shutdownSignal({
    signals: ['SIGTERM', 'SIGINT', ...(isatty(0) || isatty(1) ? (['SIGHUP'] as const) : [])],
    stillRunning: () => stillRunning,
  });
  // By default, SIGHUP would end the process during startup.
  process.on('SIGHUP', () => undefined);

  /** Serves until a shutdown signal. */
  async function serve(config: Config, env: NodeJS.ProcessEnv): Promise<void> {
    logFrom(config.logLevel);
    if (gateway.log !== undefined) {
      writeLogTo(gateway.log);
    }
    for (const { variable, setting } of misspelledVariables(env)) {
      log.warn({ variable }, `unknown setting: did you mean ${setting}?`);
    }
    if (config.databaseUrl === undefined) {
      // PostgreSQL keeps running, as after a SIGKILL (packages/local/README.md, "How processes share a server").
      stillRunning = `the embedded PostgreSQL in ${config.dataDirectory} keeps running, and the next start takes it over`;
      const { hasEmbeddedPostgres } = await import('@store-gateway/local');
      // Checked first, so that a start that can't listen doesn't create a database.
      if (!(await hasEmbeddedPostgres(config.dataDirectory))) await expectFreePort(config);
    }
    await serveStore(gateway, config, stopped);
    stillRunning = undefined;
  }

  return {
    name: gateway.serviceName,
    help: helpOf(gateway),
    options: {},
    variables: VARIABLE_NAMES,
    read: ({ positionals }) => {
      rejectPositionals(positionals);
      return async ({ env }) => {
        await serve(readConfig(env, gateway.defaults), env).catch((error: unknown) =>
          reportFailure(error, stopped),
        );
        return '';
      };
    },
  };
}

/**
 * Logs an error that stopped the service.
 *
 * @throws StartupFailure for the caller to report, unless a signal had stopped the process
 */
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

/** Serves until a shutdown signal, in this process or in workers, and runs the tasks that only one process may run. */
async function serveStore(gateway: Gateway, config: Config, stopped: AbortSignal): Promise<void> {
  // Only one of the modules is loaded.
  const alone = config.workers === 1 ? await import('./serve-requests.ts') : undefined;
  const workers = alone
    ? undefined
    : (await import('./serve-workers.ts')).createWorkers(gateway, config);
  process.on('SIGHUP', () => {
    if (stopped.aborted) return;
    if (workers) workers.replaceAll();
    else log.warn('ignored SIGHUP: it replaces workers, and WORKERS=1 has none');
  });
  // Started before anything is traced or measured, and disposed of after everything else has ended.
  await using telemetry = new AsyncDisposableStack();
  if (alone) telemetry.use(await startTraces(gateway, config));
  telemetry.use(await startMetrics(gateway, config, workers?.aggregate));
  const { database, address, facts, stop } = await startDatabase(gateway, config, {
    stopped,
    poolSize: alone ? config.poolSize : MINIMUM_POOL_SIZE,
    replicaUrls: alone ? config.replicaUrls : [],
    // A failure to load is reported below, when the app is created.
    onLaunched: () => void alone?.preloadApp(gateway).catch(() => undefined),
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

/**
 * Creates the first API key of a new store, and prints it to stderr with the service's addresses. Later starts print the
 * addresses only on a terminal. A store with an identity provider doesn't get a first key, because the key would be
 * unrestricted.
 */
async function greet(
  gateway: Gateway,
  url: string,
  database: KeyLookups,
  { graphqlIntrospection: tellsSchema, oidcIssuer }: Config,
  stopped: AbortSignal,
): Promise<void> {
  const firstKey = oidcIssuer === undefined ? await ensureFirstKey(database, stopped) : undefined;
  const { stderr } = process;
  if (firstKey === undefined && !stderr.isTTY) {
    return;
  }
  // Loaded late, because most starts, and supervisors, don't need the schema here.
  const { loadStore } = await import('../store.ts');
  const { rest } = await loadStore(gateway);
  const key = firstKey === undefined ? '' : await newStore(url, rest, firstKey);
  const stop = stderr.isTTY ? 'Stop:                Ctrl-C\n' : '';
  stderr.write(`${key}\n${addresses(url, rest, tellsSchema)}${stop}\n`);
}

async function newStore(url: string, rest: Rest, key: string): Promise<string> {
  const { tagNameOf } = await import('@store-gateway/rest/openapi');
  const list = firstList(rest);
  const task =
    list === undefined
      ? 'list all addresses'
      : `list the ${tagNameOf(list.operation)} (there are none yet)`;
  return `
This is a new store. Its first API key, shown only once:

  API_KEY=${key}

After pasting that line into a shell, ${task}:

  curl -H "Authorization: Bearer $API_KEY" ${url}${rest.basePath}${list?.path ?? ''}
${process.stderr.isTTY ? linkWithKey(url, key) : ''}`;
}

/** Returns a link with the key in its fragment, which is never sent to a server. The page removes it from its address. */
function linkWithKey(url: string, key: string): string {
  return `
Or open this link to the store in a browser:

  ${url}/#API_KEY=${key}
`;
}

function addresses(url: string, { basePath }: Rest, tellsSchema: boolean): string {
  const link = (path: string) => styleText('bold', url + path, { stream: process.stderr });
  return `The store:           ${link('/')}
GraphiQL:            ${link('/graphql')}
REST documentation:  ${link('/docs')}
OpenAPI:             ${link(`${basePath}/openapi.json`)}
${tellsSchema ? `GraphQL schema:      ${link('/schema.graphql')}\n` : ''}
Create a key:        npm run --silent keys -- create NAME
`;
}

/** Returns the first list route without required parameters. */
function firstList({ routes }: Rest): PreparedRoute | undefined {
  return routes.find(
    ({ method, variables: { path, query } }) =>
      method === 'get' &&
      path.length === 0 &&
      query.some(([name]) => name === 'limit') &&
      !query.some(
        ([, { type, defaultValue }]) => isNonNullType(type) && defaultValue === undefined,
      ),
  );
}
