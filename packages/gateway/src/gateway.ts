import { redactKeysWith, StartupFailure, STORE_NAME, tableFault } from '@store-gateway/ops';
import { type Command, type Options, runCommand } from '@store-gateway/ops/command-line';
import type { Gateway, GatewayOptions, PrismaClientLike, StartedGateway } from './definition.ts';
import { faultsOf as faultsOfValues, VARIABLE_NAMES } from './config/config.ts';
import { faultsOfScopes } from './auth/scope-names.ts';
import { faultsOfGuides } from './app/pages/guides/guide-files.ts';
import { WORKER } from './commands/worker-command.ts';

const KEY_PREFIX = /^[a-z][a-z0-9]{1,7}_$/;

/**
 * Creates a gateway for a store. `runGateway` runs it as this process's program; `startGateway` starts it inside a process with a
 * different program.
 *
 * @throws StartupFailure that names every fault
 */
export function createGateway<Client extends PrismaClientLike>(
  options: GatewayOptions<Client>,
): Gateway<Client> {
  const faults = [...faultsOf(options)];
  if (faults.length > 0) {
    throw new StartupFailure(faults.join('; '));
  }
  const { name, access, pages = {}, defaults = {} } = options;
  redactKeysWith(access.keyPrefix);
  const identifier = name.replaceAll('-', '_');
  const serviceName = `${name}-gateway`;
  return {
    ...options,
    pages,
    defaults,
    serviceName,
    metricsPrefix: `${identifier}_`,
    cluster: { user: identifier, application: serviceName },
  };
}

function* faultsOf({
  name,
  title,
  access,
  prisma,
  pages: { guides = [] } = {},
  defaults = {},
}: GatewayOptions): Iterable<string> {
  if (!STORE_NAME.form.test(name)) {
    yield `name must be lower-case words with hyphens such as book-store, not ${JSON.stringify(name)}`;
  }
  if (STORE_NAME.notARole.test(name)) {
    yield `name can't be ${name}: PostgreSQL reserves that name for its own roles`;
  }
  if (title.trim() === '') {
    yield 'title must not be empty';
  }
  if (!KEY_PREFIX.test(access.keyPrefix)) {
    yield `access.keyPrefix must be 2 to 8 lower-case letters or digits and an underscore such as books_, not ${JSON.stringify(access.keyPrefix)}`;
  }
  yield* faultsOfScopes(access);
  if (Object.keys(prisma.models).length === 0) {
    yield 'prisma.models contains no models: run prisma generate';
  }
  for (const [model, { table }] of Object.entries(prisma.models)) {
    const fault = tableFault(model, table);
    if (fault !== undefined) {
      yield fault;
    }
  }
  if (!prisma.migrations.href.endsWith('/')) {
    yield `prisma.migrations must end with a slash, not ${prisma.migrations.href}`;
  }
  yield* faultsOfGuides(guides);
  for (const variable of Object.keys(defaults).filter((each) => !VARIABLE_NAMES.has(each))) {
    yield `defaults.${variable} is not a setting: see npm start -- --help`;
  }
  for (const fault of faultsOfValues(defaults)) {
    yield `defaults.${fault}`;
  }
}

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
    running((await import('./commands/database.ts')).distributeCommand(gateway)),
  migrate: async (gateway) =>
    running((await import('./commands/database.ts')).migrateCommand(gateway)),
  openapi: async (gateway) =>
    running((await import('./commands/contracts.ts')).openapiCommand(gateway)),
  schema: async (gateway) =>
    running((await import('./commands/contracts.ts')).schemaCommand(gateway)),
  export: async (gateway) =>
    running((await import('./commands/database.ts')).exportCommand(gateway)),
  backup: async (gateway) =>
    running((await import('./commands/database.ts')).backupCommand(gateway)),
};

/**
 * Runs a gateway's command as this process's program: the command that the first argument names, by default `serve`.
 *
 * @param args the command-line arguments, without the program
 * @param ownCommands the store's own commands, by name
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
 * Starts a gateway in this process, for example in a test. It has no workers, metrics or traces, and doesn't handle signals.
 *
 * @param environment environment variables, as for `serve`; without PORT and LOG_LEVEL, uses any free port and logs nothing
 * @throws StartupFailure
 */
export async function startGateway<Client extends PrismaClientLike>(
  gateway: Gateway<Client>,
  environment: NodeJS.ProcessEnv = {},
): Promise<StartedGateway<Client>> {
  const { serveInProcess } = await import('./commands/serve-in-process.ts');
  return serveInProcess(gateway, environment);
}
