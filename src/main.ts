import { createApp } from './app/app.ts';
import { listen } from './app/listen.ts';
import { createFirstKey } from './auth/key-records.ts';
import { readConfig } from './config.ts';
import { startDatabase } from './database/start.ts';
import { log } from './log.ts';
import { StartupFailure } from './startup-failure.ts';

// Asked for before anything is started: a signal that comes meanwhile is heeded once all is up, so that
// nothing is left half-started. And listened for to the end, for it may come twice: the terminal sends
// Ctrl-C to npm and to us, and npm passes its own on to us too.
const stopSignal = new Promise<void>((resolve) => {
  process.on('SIGTERM', resolve).on('SIGINT', resolve);
});

try {
  // oxlint-disable-next-line node/no-process-env -- the one place where it is handed over
  const config = readConfig(process.env);
  log.level = config.logLevel;
  const { database, stop } = await startDatabase(config);
  try {
    const { url, close } = await listen(createApp(database, config), config.host, config.port);
    log.info({ url }, 'listening');
    const firstKey = await createFirstKey(database, 'first');
    if (firstKey !== undefined) {
      process.stderr.write(welcome(url, firstKey));
    }
    await stopSignal;
    log.info('stopping');
    await close();
  } finally {
    await stop();
  }
} catch (error) {
  if (error instanceof StartupFailure) {
    process.stderr.write(`animal-store-gateway: ${error.message}\n`);
  } else {
    log.fatal({ err: error }, 'stopped by an unexpected error');
  }
  process.exitCode = 1;
}

function welcome(url: string, key: string): string {
  return `
This is a new store. Its first API key, shown this once:

  ${key}

Add an animal, and list what is there:

  curl -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1}' ${url}/v1/pets
  curl -H 'Authorization: Bearer ${key}' ${url}/v1/pets

GraphQL, and its playground in a browser: ${url}/graphql
More keys: npm run --silent keys -- --help

`;
}
