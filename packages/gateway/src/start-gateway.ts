import type { PrismaClientLike, Gateway, StartedGateway } from './definition.ts';

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
