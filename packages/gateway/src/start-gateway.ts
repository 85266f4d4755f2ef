import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { createKey } from '@store-gateway/api-keys/key-records';
import { serveRequests } from './commands/serve-requests.ts';
import { readConfig } from './config/config.ts';
import { audited, auditedTypes } from './database/audited.ts';
import type { PrismaClientLike } from './database/prisma-client.ts';
import { startDatabase } from './database/start.ts';
import type { Gateway } from './gateway.ts';
import { writeLogTo } from './log/output.ts';
import { logFrom } from './log/service-log.ts';

/** A gateway that serves in this process, until it is disposed of. */
export interface StartedGateway<Client> extends AsyncDisposable {
  /** Where it listens. */
  readonly url: string;
  /** The store's Prisma client, which sees all rows and notes changes of audited ones. */
  readonly database: Client;
  /** Makes an API key, whose name is for people. */
  readonly createKey: (name: string) => Promise<string>;
}

/** A test's: any free port, and nothing on stdout. */
const QUIET = { PORT: '0', LOG_LEVEL: 'silent' };

/**
 * Starts a gateway in this process, as for a test: without workers, metrics, traces and signals.
 *
 * @param environment of variables as `serve` takes them, by default with any free port and a silent log
 * @throws StartupFailure
 */
export async function startGateway<Client extends PrismaClientLike>(
  gateway: Gateway<Client>,
  environment: NodeJS.ProcessEnv = {},
): Promise<StartedGateway<Client>> {
  const config = readConfig({ ...QUIET, ...environment }, gateway.defaults);
  logFrom(config.logLevel);
  await using started = new AsyncDisposableStack();
  if (gateway.log !== undefined) {
    started.use(writeLogTo(gateway.log));
  }
  const { database, stop } = await startDatabase(gateway, config, {
    poolSize: config.poolSize,
    replicaUrls: config.replicaUrls,
  });
  started.defer(stop);
  const stopping = new AbortController();
  const listening = Promise.withResolvers<string>();
  const served = serveRequests(gateway, {
    database,
    config,
    stopped: stopping.signal,
    onListening: listening.resolve,
    // Nobody probes it who would have to hear of its end.
    isLast: () => false,
  });
  served.catch(listening.reject);
  const url = await listening.promise;
  started.defer(async () => {
    stopping.abort();
    await served;
  });
  const running = started.move();
  return {
    url,
    database: audited<Client>(
      database,
      gateway.prisma.models,
      auditedTypes((await gateway.load()).schema),
    ),
    createKey: (name) => createKey(database, name, null),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
