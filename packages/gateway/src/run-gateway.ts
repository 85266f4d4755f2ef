import type { Gateway, PrismaClientLike, StartedGateway } from './definition.ts';
import { type Command, type Options, runCommand } from '@store-gateway/ops/command-line';
import { WORKER } from './commands/worker-command.ts';

/** Loads a command. Each has its own module, because most starts need only `serve`. */
type Load = (gateway: Gateway) => Promise<(args: readonly string[]) => Promise<void>>;

/** Runs a command with the arguments that follow its name. */
function running<O extends Options>(
  command: Command<O>,
): (args: readonly string[]) => Promise<void> {
  return (args) => runCommand(command, args);
}

const serve: Load = async (gateway) =>
  running((await import('./commands/serve.ts')).serveCommand(gateway));

const COMMANDS: Readonly<Record<string, Load>> = {
  serve,
  [WORKER]: async (gateway) => {
    const { serveAsWorker } = await import('./commands/serve-worker.ts');
    return () => serveAsWorker(gateway);
  },
  keys: async (gateway) => running((await import('./commands/keys.ts')).keysCommand(gateway)),
  audit: async (gateway) =>
    running(await (await import('./commands/audit.ts')).auditCommand(gateway)),
  documents: async (gateway) =>
    running((await import('./commands/documents.ts')).documentsCommand(gateway)),
  deprecations: async (gateway) =>
    running((await import('./commands/deprecations.ts')).deprecationsCommand(gateway)),
  distribute: async (gateway) =>
    running((await import('./commands/distribute.ts')).distributeCommand(gateway)),
  migrate: async (gateway) =>
    running((await import('./commands/migrate.ts')).migrateCommand(gateway)),
  openapi: async (gateway) =>
    running((await import('./commands/contracts.ts')).openapiCommand(gateway)),
  schema: async (gateway) =>
    running((await import('./commands/contracts.ts')).schemaCommand(gateway)),
  export: async (gateway) => running((await import('./commands/export.ts')).exportCommand(gateway)),
  backup: async (gateway) => running((await import('./commands/backup.ts')).backupCommand(gateway)),
};

/**
 * Runs a gateway as this process: the command that the first argument names, by default `serve`.
 *
 * @param args without the program
 * @param ownCommands the store's own, by their names
 */
export async function runGateway(
  gateway: Gateway,
  args: readonly string[],
  ownCommands: Readonly<Record<string, () => Promise<Command>>> = {},
): Promise<void> {
  const [name = 'serve', ...rest] = args;
  const own = Object.hasOwn(ownCommands, name) ? ownCommands[name] : undefined;
  if (own !== undefined) {
    await running(await own())(rest);
    return;
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const run = await (load ?? serve)(gateway);
  await run(load === undefined ? args : rest);
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
