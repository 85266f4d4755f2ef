import type { PrismaClientLike, Gateway, StartedGateway } from '../definition.ts';
import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { createKey } from '@store-gateway/access';
import { serveRequests } from './serve-requests.ts';
import { readConfig } from '../config/config.ts';
import { audited, auditedTypes } from '../database/audit.ts';
import { startDatabase } from '../database/start.ts';
import { logFrom, writeLogTo } from '../log/service-log.ts';

/** Defaults for a gateway in a test: any free port, and nothing on stdout. */
const QUIET = { PORT: '0', LOG_LEVEL: 'silent' };

/** Starts the gateway that `startGateway` returns. */
export async function serveInProcess<Client extends PrismaClientLike>(
  gateway: Gateway<Client>,
  environment: NodeJS.ProcessEnv,
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
    // Skips the delay in which readiness probes notice a shutdown, because nothing probes this gateway.
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
