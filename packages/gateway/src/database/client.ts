import type { Pool } from 'pg';
import { batchedModels, READ_SETTINGS, SHARDED_SETTINGS } from '@store-gateway/data';
import {
  batcherFactory,
  log,
  outsideRequest,
  recorder,
  type RunStatement,
  StartupFailure,
  type Statement,
  type TextRow,
  tracer,
  withoutPrefix,
} from '@store-gateway/ops';
import { schemaOf } from '@store-gateway/postgres/database-url';
import {
  addressOf,
  createBackendReaper,
  createPing,
  createPool,
  createReferenceNames,
  createReplicaReads,
  createViolatedFields,
  type DatabaseTimeouts,
  isValueError,
  isUnplanned,
  type Pooler,
  type PoolOptions,
  renewConnections,
  REQUEST_TIMEOUTS,
  retryConflicts,
  retryMissing,
  runStatement,
  runTransaction,
  runWrite,
  warmUp,
} from '@store-gateway/postgres';
import { createSharedCounts, type SharedCounts } from '@store-gateway/http/limits';
import type { Gateway, PrismaClientLike } from '../definition.ts';
import { sessionName } from './address.ts';
import { boundedEngine, databaseCalled, EngineAdapter, extended, PLAN_BY_VALUE } from './engine.ts';
import { DEFAULT_POOL_SIZE } from '../config/config.ts';
import { probeOf, WRITE_PROBE } from './tables.ts';

const NOW = { name: 'now', text: 'SELECT floor(extract(epoch FROM now()) * 1000)::bigint' };

/** The number of connections reserved for API key lookups, so that authentication never waits for other reads. */
const KEY_CONNECTIONS = 2;

/** On Citus, the share of the read connections that pages may occupy while they wait for a lost worker. */
const PAGES_SHARE = 0.6;

export interface DatabaseOptions {
  /** Defaults to the timeouts of requests. */
  readonly timeouts?: DatabaseTimeouts | undefined;
  /** Maximum number of connections. The backend reaper may open one more. */
  readonly poolSize?: number | undefined;
  /** The client's purpose, which is part of `application_name`: a command's name, by default `serve`. */
  readonly purpose?: string | undefined;
  /** The pooler at the URL, if there is one. */
  readonly pooler?: Pooler | undefined;
  /** Whether, as far as known at startup, Citus may distribute tables over several servers. */
  readonly isSharded?: boolean;
  /** Whether the gateway's own tables lack their prefix, because an earlier version created them. */
  readonly hasEarlierNames?: boolean;
  /** Opens the pools of the replicas; undefined if there are none. */
  readonly openReplicas?: OpenReplicas | undefined;
}

/** The members that the gateway adds to a store's Prisma client, for its own use. */
export type GatewayDatabase = ReturnType<typeof membersOf>;

/**
 * A store's Prisma client with the gateway's own members.
 *
 * @internal
 */
export type Database<Client = object> = Client & GatewayDatabase;

interface Pools {
  readonly readPool: Pool;
  readonly writePool: Pool;
  readonly keyPool: Pool;
  /** Reads pages from a sharded database; undefined if the read pool reads them. */
  readonly pagePool: Pool | undefined;
}

/**
 * Returns a client for a migrated PostgreSQL database. It connects when it is first used, and reconnects after an outage. Calls
 * fail with SERVICE_UNAVAILABLE while the database doesn't respond.
 *
 * @param url the database's URL, which names the store's schema unless that is `public`
 */
export function openDatabase<Client extends PrismaClientLike>(
  gateway: Gateway<Client>,
  url: string,
  {
    timeouts = REQUEST_TIMEOUTS,
    poolSize = DEFAULT_POOL_SIZE,
    purpose = 'serve',
    pooler,
    isSharded: wasSharded = false,
    hasEarlierNames = false,
    openReplicas,
  }: DatabaseOptions = {},
): Database<Client> {
  const { models } = gateway.prisma;
  const ofAllServers = {
    timeouts,
    applicationName: sessionName(gateway.serviceName, purpose, wasSharded),
    rename: hasEarlierNames ? withoutPrefix : undefined,
  };
  const settings = wasSharded ? SHARDED_SETTINGS : undefined;
  const common = { ...ofAllServers, reaper: createBackendReaper(), pooler, settings };
  // Writes may wait for a disk or a standby. Reads have their own pool, so that they don't wait for writes.
  const writers = Math.floor((poolSize - KEY_CONNECTIONS) / 2);
  const readers = poolSize - KEY_CONNECTIONS - writers;
  const pageReaders = wasSharded ? Math.floor(readers * PAGES_SHARE) : 0;
  const readPool = createPool(url, {
    name: 'reads',
    max: readers - pageReaders,
    ...common,
    settings: settings ?? READ_SETTINGS,
  });
  const writePool = createPool(url, { name: 'writes', max: writers, ...common });
  const keyPool = createPool(url, { name: 'keys', max: KEY_CONNECTIONS, ...common });
  const pagePool =
    pageReaders === 0 ? undefined : createPool(url, { name: 'pages', max: pageReaders, ...common });
  const sharding = watchSharding(keyPool, wasSharded, () => {
    for (const pool of [readPool, writePool, keyPool]) {
      renewConnections(pool, url, {
        applicationName: sessionName(gateway.serviceName, purpose, true),
        pooler,
        settings: SHARDED_SETTINGS,
      });
    }
  });
  const isSharded = sharding.hasHappened;
  const replicas = openReplicas?.(readPool, {
    max: readers,
    ...ofAllServers,
    settings: READ_SETTINGS,
  });
  // Prisma doesn't escape the schema's name.
  const schema = (schemaOf(url) ?? 'public').replaceAll('"', '""');
  const adapter = new EngineAdapter(writePool, {
    schema,
    tables: Object.values(models).map(({ table }) => table),
    isSharded,
  });
  const client = new gateway.prisma.Client({ adapter, errorFormat: 'minimal' });
  const members = membersOf(gateway, { readPool, writePool, keyPool, pagePool }, isSharded, {
    loadEngine: () => client.$connect(),
    closeOthers: async () => {
      // Prisma's $disconnect ends a pool only if Prisma has used it.
      await client.$disconnect();
      await replicas?.close();
    },
  });
  // A property rather than a method, because it is called with a different `this`.
  const unextended: { readonly $transaction: (...args: never) => Promise<unknown> } = client;
  /**
   * Runs a query in a transaction, together with the setting that makes PostgreSQL plan it for its values. Prisma's promises are
   * lazy, so the query doesn't run before the setting.
   */
  const planByValue = async (query: Promise<unknown>): Promise<unknown> => {
    // The setting isn't needed on Citus, which always plans by value, and a transaction there would begin with a write.
    if (isSharded()) {
      return query;
    }
    const run = [client.$executeRawUnsafe(PLAN_BY_VALUE), query];
    const results: unknown = await Reflect.apply(unextended.$transaction, client, [run]);
    return Array.isArray(results) ? results[1] : undefined;
  };
  const retry: typeof retryConflicts = async (run) => {
    if (isSharded()) {
      return retryMissing(run);
    }
    try {
      return await retryConflicts(run);
    } catch (error) {
      if (await sharding.isCauseOf(error)) return retryMissing(run);
      throw error;
    }
  };
  const extension = {
    query: boundedEngine(models, writers, {
      planByValue,
      retry,
      waitMs: timeouts.connection + timeouts.statement,
    }),
    client: {
      ...members,
      /** Retries a transaction after a conflict. Side effects of its callback are repeated, too. */
      $transaction(this: object, ...args: unknown[]): Promise<unknown> {
        return retry(async () => {
          const result: unknown = await Reflect.apply(unextended.$transaction, this, args);
          return result;
        });
      },
    },
  };
  const base = extended(client, extension, members);
  const { $read, $write } = members;
  const writeTwice = findingTwice($write);
  // Added last, because an extension added after this one would pass each call through Prisma's proxies twice.
  return extended(
    base,
    batchedModels(base, models, {
      read:
        replicas === undefined
          ? $read
          : (statement, values) => (isSharded() ? $read : replicas.read)(statement, values),
      ...(pagePool && { readPages: readsOf(pagePool) }),
      write: (statement, values) => (isSharded() ? writeTwice : $write)(statement, values),
      transaction: (begin, body) =>
        runTransaction(writePool, begin, (run) => body(findingTwice(run))),
      createBatcher: tracer.batches(batcherFactory(recordBatch, writers)),
      isFault: isValueError,
      isSharded: wasSharded,
      ...(!wasSharded && { laterSharding: sharding }),
      onAnswer: (model, operation) => databaseCalled(model, operation, 'statement'),
    }),
    {},
  );
}

/**
 * Retries a write that returned no row. A write that has waited for Citus to distribute its table looks in the wrong shard, and
 * misses an existing row.
 */
function findingTwice(write: RunStatement): RunStatement {
  return async (statement, values) => {
    const rows = await write(statement, values);
    return rows.length === 0 ? write(statement, values) : rows;
  };
}

function readsOf(pool: Pool) {
  return (statement: Statement, values: readonly unknown[] = []) =>
    runStatement(pool, statement, values);
}

function recordBatch(size: number): void {
  recorder.record('statement_calls', size);
  recorder.add('shared_calls_total', 1, { place: 'statements', role: 'led' });
  recorder.add('shared_calls_total', size - 1, { place: 'statements', role: 'joined' });
}

function membersOf(
  { access: { keyPrefix }, prisma: { models } }: Gateway,
  { readPool, writePool, keyPool, pagePool }: Pools,
  isSharded: () => boolean,
  { loadEngine, closeOthers }: Readonly<Record<'loadEngine' | 'closeOthers', () => Promise<void>>>,
) {
  const pools = [readPool, writePool, keyPool, ...(pagePool === undefined ? [] : [pagePool])];
  const $read = readsOf(readPool);
  const pingBy = (pool: Pool, mayBeSharded: boolean) =>
    createPing({
      readPool: pool,
      writePool,
      probe: probeOf(models, mayBeSharded),
      writeProbe: WRITE_PROBE,
    });
  const ping = pingBy(readPool, false);
  // Pings through the key pool, because requests that wait for a lost worker may occupy all read connections.
  const pingSharded = pingBy(keyPool, true);
  const $rateLimitCounts: SharedCounts = createSharedCounts((statement, values) =>
    runStatement(writePool, statement, values),
  );
  return {
    $keyPrefix: keyPrefix,
    $keyPool: keyPool,
    $rateLimitCounts,
    /** `$read` and `$write` run the gateway's own statements. */
    $read,
    $write: (statement: Statement, values: readonly unknown[] = []) =>
      runWrite(writePool, statement, values),
    /**
     * Checks that the database can serve requests, including creates.
     *
     * @throws SERVICE_UNAVAILABLE within 2 s if it rejects writes or doesn't respond; PostgreSQL's error if it lacks a table
     */
    $ping: () => (isSharded() ? pingSharded : ping)(),
    /** Returns the milliseconds since 1970 according to the database's clock, which decides when keys expire. */
    $now: async (): Promise<number> => {
      const [row] = await $read(NOW);
      return Number(row?.[0]);
    },
    /**
     * Reads the secret for row versions, which a migration has generated.
     *
     * @throws StartupFailure if its row has been deleted
     */
    $versionKey: () => readVersionKey($read),
    /**
     * Opens connections before the first request, with the startup timeout.
     *
     * @throws the connection's error, or an error if `stopped` is aborted
     */
    $connect: async (stopped?: AbortSignal): Promise<void> => {
      await Promise.all(pools.map((pool) => warmUp(pool, stopped)));
    },
    /** Compiles Prisma's engine, so that the first call that needs it doesn't delay all others. */
    $loadEngine: loadEngine,
    $violatedFields: createViolatedFields(readPool, models),
    /** Returns the names of the foreign keys of a model's field. */
    $referenceNames: createReferenceNames(readPool, models),
    $disconnect: async (): Promise<void> => {
      await closeOthers();
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

const VERSION_KEY = {
  name: 'version-key',
  text: `SELECT encode(secret, 'hex') FROM _gateway_secrets WHERE name = 'versions'`,
};

/**
 * Reads the secret for row versions, which a migration has generated.
 *
 * @throws StartupFailure if its row has been deleted
 */
async function readVersionKey(
  read: (statement: Statement) => Promise<readonly TextRow[]>,
): Promise<string> {
  const [row] = await read(VERSION_KEY);
  const key = row?.[0];
  if (key == null) {
    throw new StartupFailure(
      'the table _gateway_secrets lacks the row named versions: restore it from a backup, or insert 32 random bytes, which changes all ETags',
    );
  }
  return key;
}

/** Opens a pool for each replica of a primary. */
type OpenReplicas = ReturnType<typeof replicasAt>;

/** @param urls the URLs of the replicas, each with the store's schema */
export function replicasAt(urls: readonly string[]) {
  return (primary: Pool, options: Omit<PoolOptions, 'name' | 'pooler' | 'reaper' | 'role'>) => {
    const replicas = urls.map((url, index) => ({
      name: addressOf(url),
      pool: createPool(url, {
        ...options,
        name: `replica ${index + 1}`,
        role: 'replica',
        reaper: createBackendReaper(),
      }),
    }));
    const { read, end } = createReplicaReads(primary, replicas);
    return {
      read,
      close: async (): Promise<void> => {
        end();
        await Promise.all(replicas.map(({ pool }) => pool.end()));
      },
    };
  };
}

/** Queries that each return a row if the database has Citus with nodes. The second is valid only if the first returns a row. */
const LOOKS = [
  "SELECT WHERE to_regclass('pg_catalog.pg_dist_node') IS NOT NULL",
  'SELECT FROM pg_catalog.pg_dist_node LIMIT 1',
];

/** Milliseconds between a reconnection and the search for Citus. By then, a connection is idle again. */
const DELAY_MS = 1000;

/**
 * Detects that Citus was added to the database. It looks for Citus when the server has restarted, and when the database can no
 * longer plan a statement.
 *
 * @param pool queried, and watched for reconnections
 * @param isSharded whether the database already has Citus
 * @param onFound called when Citus is detected
 */
function watchSharding(pool: Pool, isSharded: boolean, onFound: () => void) {
  let hasHappened = isSharded;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    for (const text of LOOKS) {
      if ((await pool.query(text)).rowCount === 0) return;
    }
    hasHappened = true;
    log.warn(
      'Citus was added to the database after this process started; restart the process when convenient',
    );
    onFound();
  };
  /** Runs one search for all concurrent callers. If the search fails, the next failed statement starts a new one. */
  const lookOnce = (): Promise<void> => {
    looking ??= outsideRequest(look)
      .catch(() => undefined)
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };

  let isLost = false;
  pool.on('error', () => {
    isLost = true;
  });
  pool.on('connect', () => {
    if (isLost && !hasHappened) {
      outsideRequest(() => setTimeout(() => void lookOnce(), DELAY_MS).unref());
    }
    isLost = false;
  });
  return {
    hasHappened: () => hasHappened,
    isCauseOf: async (error: unknown): Promise<boolean> => {
      if (!isUnplanned(error)) return false;
      if (!hasHappened) await lookOnce();
      return hasHappened;
    },
  };
}
