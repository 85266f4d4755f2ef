import { Client, Connection, Pool, type PoolClient, type Submittable } from 'pg';
import packageJson from 'pg/package.json' with { type: 'json' };
import { StartupFailure } from '@store-gateway/ops';

/** Members of pg 8 that its types omit. test/faults/{lost-standby,several-servers}.test.ts fail if an upgrade changes them. */
declare module 'pg' {
  interface Connection {
    /** The texts, by name, of the statements that the server has prepared or is about to prepare. */
    readonly parsedStatements: Readonly<Record<string, string>>;
    readonly submittedNamedStatements: Record<string, string>;
    /** Opens the socket. */
    connect: (port: number | string, host?: string) => void;
    /** Begins the session, when the socket is open and, with TLS, encrypted. */
    startup: () => void;
    /** Sends a cancel request. */
    readonly cancel: (processID: number, secretKey: number) => void;
  }
  interface PoolConfig {
    readonly pipeline?: boolean | undefined;
  }
  interface Pool {
    /** Runs a custom query, which reports its result to its own callback. */
    query<Rows>(
      query: Submittable & { readonly callback: OnRows<Rows> | undefined },
      callback: OnRows<Rows>,
    ): void;
    /** Opens a connection for a waiting caller. */
    newClient: (waiting: PoolWaiter) => void;
    /** All clients that are connecting or connected. */
    readonly _clients: readonly Client[];
    readonly _idle: readonly { readonly client: PoolClient }[];
    /** Clients that are closed when they are released. */
    readonly _expired: WeakSet<Client>;
    /** Callers that wait for a connection, in order of arrival. */
    readonly _pendingQueue: PoolWaiter[];
    /** Serves the first waiting caller, if a connection is available. */
    readonly _pulseQueue: () => void;
    /** Closes an idle connection. */
    _remove: (client: PoolClient) => void;
  }
  type OnRows<Rows> = (error: Error | null | undefined, rows: Rows) => void;
  interface PoolWaiter {
    readonly callback: (
      error: Error | undefined,
      client: PoolClient | undefined,
      release: (error?: unknown) => void,
    ) => void;
    /** Whether the caller has stopped waiting. */
    readonly timedOut?: boolean | undefined;
  }
  interface Client {
    /** Identify the session in a cancel request; null until it has begun. */
    readonly processID: number | null;
    readonly secretKey: number | null;
    /** The statement in progress; null or undefined if there is none. */
    readonly _activeQuery: object | null | undefined;
    /** Lets the process end while the connection is open. */
    readonly unref: () => void;
  }
}

/** The lowest version of pg that has these members. */
export const LOWEST_VERSION = '8.23.0';

const MEMBERS = {
  Client: ['processID', 'secretKey', '_activeQuery', 'unref'],
  Connection: ['parsedStatements', 'submittedNamedStatements', 'connect', 'startup', 'cancel'],
  Pool: [
    'query',
    'newClient',
    '_clients',
    '_idle',
    '_expired',
    '_pendingQueue',
    '_pulseQueue',
    '_remove',
  ],
};

const unconnected = () => ({
  Client: new Client(),
  Connection: new Connection(),
  Pool: new Pool(),
});

/**
 * Checks that the installed pg has the internal members that this package uses, which a minor release may remove.
 *
 * @throws StartupFailure that names the missing members
 */
export function expectInternals(
  pg: Readonly<Record<keyof typeof MEMBERS, object>> = unconnected(),
): void {
  const objects = new Map<string, object>(Object.entries(pg));
  const gone = Object.entries(MEMBERS).flatMap(([name, members]) =>
    members
      .filter((member) => !(member in (objects.get(name) ?? {})))
      .map((member) => `${name}.${member}`),
  );
  if (gone.length > 0) {
    throw new StartupFailure(
      `pg ${packageJson.version} lacks ${gone.join(' and ')}, which earlier releases have: install pg ${LOWEST_VERSION}`,
    );
  }
}
