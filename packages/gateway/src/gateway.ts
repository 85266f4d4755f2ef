import { StartupFailure } from '@gateway/errors/startup-failure';
import type { Models } from '@gateway/batched-prisma/model';
import { redactKeysWith } from '@gateway/log/redact-keys';
import type { StorePages } from './app/pages/store-pages.ts';
import type { PrismaClientClass, PrismaClientLike } from './database/prisma-client.ts';
import type { StoreApi } from './store.ts';

/** Who may use a store. */
export interface Access {
  /** Begins every API key: 2 to 8 lower-case letters or digits and an underscore, such as `asg_`. */
  readonly keyPrefix: string;
}

/** What a store is. */
export interface GatewayOptions<Client extends PrismaClientLike = PrismaClientLike> {
  /** In lower-case words with hyphens, such as `animal-store`. All names for machines are made of it. */
  readonly name: string;
  /** The name for people. */
  readonly title: string;
  /** What is in the store, such as: a store's animals. */
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
  readonly load: () => Promise<StoreApi>;
  /** By default there is a plain landing page. */
  readonly pages?: StorePages;
}

/** A store with all names that are made of its own. */
export interface Gateway<
  Client extends PrismaClientLike = PrismaClientLike,
> extends GatewayOptions<Client> {
  readonly pages: StorePages;
  /** Of log, traces, connections and browser storage: `animal-store-gateway`. */
  readonly serviceName: string;
  /** Begins the names of the service's own metrics: `animal_store_`. */
  readonly metricsPrefix: string;
  /** The role of the embedded PostgreSQL: `animal_store`. */
  readonly databaseUser: string;
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
  const { name, access, pages = {} } = options;
  redactKeysWith(access.keyPrefix);
  const identifier = name.replaceAll('-', '_');
  return {
    ...options,
    pages,
    serviceName: `${name}-gateway`,
    metricsPrefix: `${identifier}_`,
    databaseUser: identifier,
  };
}

function* faultsOf({
  name,
  title,
  access: { keyPrefix },
  prisma,
}: GatewayOptions): Iterable<string> {
  if (!NAME.test(name)) {
    yield `name must be lower-case words with hyphens such as animal-store, not ${JSON.stringify(name)}`;
  }
  if (title.trim() === '') {
    yield 'title must not be empty';
  }
  if (!KEY_PREFIX.test(keyPrefix)) {
    yield `access.keyPrefix must be 2 to 8 lower-case letters or digits and an underscore such as asg_, not ${JSON.stringify(keyPrefix)}`;
  }
  if (Object.keys(prisma.models).length === 0) {
    yield 'prisma.models has no model: run prisma generate';
  }
  if (!prisma.migrations.href.endsWith('/')) {
    yield `prisma.migrations must end with a slash, not ${prisma.migrations.href}`;
  }
}
