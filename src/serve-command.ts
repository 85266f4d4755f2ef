import { listen } from './app/listen.ts';
import { createFirstKey } from './auth/key-records.ts';
import { expectNone, runCommand } from './commands/run-command.ts';
import { readConfig } from './config.ts';
import { startDatabase } from './database/start.ts';
import { greeting } from './greeting.ts';
import { log } from './log.ts';
import { StartupFailure } from './startup-failure.ts';
import { createDeprecatedCalls } from './usage/deprecated-calls.ts';

const HELP = `Runs the Animal Store Gateway: a store's animals over GraphQL and REST, until Ctrl-C or SIGTERM.

  npm start

It takes no arguments, but environment variables; an empty one counts as unset:

  PORT                       TCP port, by default 4000; 0 is any free one, which the log tells
  HOST                       address to listen on, by default 127.0.0.1
  DATABASE_URL               a PostgreSQL, 14 or newer, instead of the embedded one
  DATA_DIR                   folder of the embedded PostgreSQL, by default data
  LOG_LEVEL                  fatal, error, warn, info (the default), debug, trace or silent
  CORS_ORIGINS               origins whose pages may use it from a browser, such as https://shop.example,
                             with commas between them; * is all, and by default there are none
  GRAPHQL_INTROSPECTION      on (the default), or off: GraphQL doesn't tell its schema
  GRAPHQL_TRUSTED_DOCUMENTS  also (the default), or only: GraphQL runs the documents that were stored,
                             and no others; see npm run documents -- --help

Exit codes: 0 stopped, 1 failed, 2 not understood.
`;

// Asked for before anything is started: a signal that comes meanwhile is heeded once all is up, so that
// nothing is left half-started. And listened for to the end, for it may come twice: the terminal sends
// Ctrl-C to npm and to us, and npm passes its own on to us too.
const stopSignal = new Promise<void>((resolve) => {
  process.on('SIGTERM', resolve).on('SIGINT', resolve);
});

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
    await serveUntil(stopSignal);
  } catch (error) {
    if (error instanceof StartupFailure) {
      throw error;
    }
    log.fatal({ err: error }, 'stopped by an unexpected error');
    process.exitCode = 1;
  }
  return '';
}

async function serveUntil(stopped: Promise<void>): Promise<void> {
  // oxlint-disable-next-line node/no-process-env -- the one place where it is handed over
  const config = readConfig(process.env);
  log.level = config.logLevel;
  const { database, stop } = await startDatabase(config, () => {
    // Whatever is wrong with it is told below.
    loadApp().catch(() => undefined);
  });
  const deprecatedCalls = createDeprecatedCalls(database);
  const world = { database, deprecatedCalls, now: Date.now };
  try {
    const { createApp } = await loadApp();
    const { url, close } = await listen(createApp(world, config), config.host, config.port);
    try {
      log.info({ url }, 'listening');
      const firstKey = await createFirstKey(database, 'first');
      const tellsSchema = config.graphqlIntrospection;
      process.stderr.write(greeting({ url, firstKey, tellsSchema }, process.stderr));
      await stopped;
      log.info('stopping');
    } finally {
      await close();
    }
    await deprecatedCalls.flush();
  } finally {
    await stop();
  }
}

/**
 * Most of the program. Modules are loaded in one go, without a pause in which PostgreSQL could be launched:
 * loaded after that, they cost no time.
 */
function loadApp() {
  return import('./app/app.ts');
}
