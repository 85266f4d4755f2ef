import type { PrismaClientLike } from './database/prisma-client.ts';
import type { Gateway } from './gateway.ts';

/** A gateway that serves in this process, until it is disposed of. */
export interface StartedGateway<Client> extends AsyncDisposable {
  /** Where it listens. */
  readonly url: string;
  /** The store's Prisma client, which sees all rows and notes changes of audited ones. */
  readonly database: Client;
  /** Makes an API key, whose name is for people. */
  readonly createKey: (name: string) => Promise<string>;
}

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
  const { serveInProcess } = await import('./commands/serve-in-process.ts');
  return serveInProcess(gateway, environment);
}
