import type { ClusterNames } from '@gateway/embedded-postgres/cluster';
import { StartupFailure } from '@gateway/errors/startup-failure';
import type { Models } from '@gateway/batched-prisma/model';
import type { LogDestination } from '@gateway/log/log';
import { redactKeysWith } from '@gateway/log/redact-keys';
import { faultsOf as faultsOfValues, VARIABLE_NAMES, type Defaults } from './config/config.ts';
import type { Access } from './auth/access.ts';
import type { StorePages } from './app/pages/store-pages.ts';
import type { PrismaClientClass, PrismaClientLike } from './database/prisma-client.ts';
import type { StoreApi } from './store.ts';

/** What a store is. */
export interface GatewayOptions<Client extends PrismaClientLike = PrismaClientLike> {
  /** In lower-case words with hyphens, such as `book-store`. All names for machines are made of it. */
  readonly name: string;
  /** The name for people. */
  readonly title: string;
  /** What is in the store, such as: books and their authors. */
  readonly description: string;
  /** Of the store, as metrics and OpenAPI tell it. */
  readonly version: string;
  readonly access: Access;
  readonly prisma: {
    /** The generated client. */
    readonly Client: PrismaClientClass<Client>;
    /** As the generator of batched-prisma has written them. */
    readonly models: Models;
    /** The folder of the migrations, as Prisma lays it out; ends with a slash. */
    readonly migrations: URL;
  };
  /** Loads schema and routes, which most commands do without. */
  readonly load: () => Promise<StoreApi<NoInfer<Client>>>;
  /** By default there is a plain landing page. */
  readonly pages?: StorePages;
  /** Of settings, by their environment variables: `{ PORT: '8080' }`. */
  readonly defaults?: Defaults;
  /** Where the log is written, in redacted lines of JSON; by default stdout. Of workers, their supervisor writes it. */
  readonly log?: LogDestination;
}

/** A store with all names that are made of its own. */
export interface Gateway<
  Client extends PrismaClientLike = PrismaClientLike,
> extends GatewayOptions<Client> {
  readonly pages: StorePages;
  readonly defaults: Defaults;
  /** Of log, traces, connections and browser storage: `book-store-gateway`. */
  readonly serviceName: string;
  /** Begins the names of the service's own metrics: `book_store_`. */
  readonly metricsPrefix: string;
  /** Of the embedded PostgreSQL, which processes of earlier versions share: its role is `book_store`. */
  readonly cluster: ClusterNames;
}

const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const KEY_PREFIX = /^[a-z][a-z0-9]{1,7}_$/;

/**
 * Makes a gateway of a store: what `runGateway` runs as a process, and `startGateway` in this one.
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
  access: { keyPrefix },
  prisma,
  defaults = {},
}: GatewayOptions): Iterable<string> {
  if (!NAME.test(name)) {
    yield `name must be lower-case words with hyphens such as book-store, not ${JSON.stringify(name)}`;
  }
  if (title.trim() === '') {
    yield 'title must not be empty';
  }
  if (!KEY_PREFIX.test(keyPrefix)) {
    yield `access.keyPrefix must be 2 to 8 lower-case letters or digits and an underscore such as books_, not ${JSON.stringify(keyPrefix)}`;
  }
  if (Object.keys(prisma.models).length === 0) {
    yield 'prisma.models has no model: run prisma generate';
  }
  if (!prisma.migrations.href.endsWith('/')) {
    yield `prisma.migrations must end with a slash, not ${prisma.migrations.href}`;
  }
  for (const variable of Object.keys(defaults).filter((each) => !VARIABLE_NAMES.has(each))) {
    yield `defaults.${variable} is not a setting: see npm start -- --help`;
  }
  for (const fault of faultsOfValues(defaults)) {
    yield `defaults.${fault}`;
  }
}
