import type { PoolClient, Submittable } from 'pg';
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

/** The version of pg whose members these are. */
export const TESTED_VERSION = '8.23.1';

/** @throws StartupFailure unless pg is of that version */
export function expectTestedVersion(version: string = packageJson.version): void {
  if (version !== TESTED_VERSION) {
    throw new StartupFailure(
      `pg ${version} is installed, but its internals are used as they are in ${TESTED_VERSION}: install that one`,
    );
  }
}
