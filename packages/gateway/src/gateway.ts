import type { PrismaClientLike, GatewayOptions, Gateway } from './definition.ts';
import { redactKeysWith, StartupFailure, STORE_NAME, tableFault } from '@store-gateway/ops';
import { faultsOf as faultsOfValues, VARIABLE_NAMES } from './config/config.ts';
import { faultsOfScopes } from './auth/scope-names.ts';
import { faultsOfGuides } from './app/pages/guides/guide-files.ts';

const KEY_PREFIX = /^[a-z][a-z0-9]{1,7}_$/;

/**
 * Makes a gateway of a store. `runGateway` runs it as a process, `startGateway` in this one.
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
    yield `name can't be ${name}: a role of PostgreSQL would have this name, which is reserved`;
  }
  if (title.trim() === '') {
    yield 'title must not be empty';
  }
  if (!KEY_PREFIX.test(access.keyPrefix)) {
    yield `access.keyPrefix must be 2 to 8 lower-case letters or digits and an underscore such as books_, not ${JSON.stringify(access.keyPrefix)}`;
  }
  yield* faultsOfScopes(access);
  if (Object.keys(prisma.models).length === 0) {
    yield 'prisma.models has no model: run prisma generate';
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
