import { Client, Connection, Pool, type PoolClient, type Submittable } from 'pg';
import packageJson from 'pg/package.json' with { type: 'json' };
import { StartupFailure } from '@store-gateway/ops';

/** Members of pg 8 that its types leave out. test/faults/{lost-standby,several-servers}.test.ts fail if an upgrade changes them. */
declare module 'pg' {
  interface Connection {
    /** The texts of statements by their names: those that the server has prepared, and those that are on their way there. */
    readonly parsedStatements: Readonly<Record<string, string>>;
    readonly submittedNamedStatements: Record<string, string>;
    /** Opens the socket. */
    connect: (port: number | string, host?: string) => void;
    /** Begins the session, once the socket is open and, with TLS, encrypted. */
    startup: () => void;
    /** Sends a cancel request. */
    readonly cancel: (processID: number, secretKey: number) => void;
  }
  interface PoolConfig {
    readonly pipeline?: boolean | undefined;
  }
  interface Pool {
    /** Runs a query of another's making, which calls back. */
    query<Rows>(
      query: Submittable & { readonly callback: OnRows<Rows> | undefined },
      callback: OnRows<Rows>,
    ): void;
    /** Makes a connection for the next caller that waits for one. */
    newClient: (waiting: PoolWaiter) => void;
    /** All that connect or are connected. */
    readonly _clients: readonly Client[];
    readonly _idle: readonly { readonly client: PoolClient }[];
    /** Those that are ended when they are released. */
    readonly _expired: WeakSet<Client>;
    /** Callers that wait for a connection, in their order. */
    readonly _pendingQueue: PoolWaiter[];
    /** Gives the first of them a connection, if there is one. */
    readonly _pulseQueue: () => void;
    /** Ends a connection that nobody uses. */
    _remove: (client: PoolClient) => void;
  }
  type OnRows<Rows> = (error: Error | null | undefined, rows: Rows) => void;
  interface PoolWaiter {
    readonly callback: (
      error: Error | undefined,
      client: PoolClient | undefined,
      release: (error?: unknown) => void,
    ) => void;
    /** Nobody waits any more. */
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

/** Unconnected instances. */
const unconnected = () => ({
  Client: new Client(),
  Connection: new Connection(),
  Pool: new Pool(),
});

/**
 * Checks that the installed pg has these members, which a minor release may remove.
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
