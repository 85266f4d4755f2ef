import 'pg';

/** What pg 8 has and its types leave out. test/faults/lost-standby.test.ts fails if an upgrade changes it. */
declare module 'pg' {
  interface Connection {
    /** Opens the socket. */
    connect: (port: number | string, host?: string) => void;
    /** Begins the session, once the socket is open and, if there is to be TLS, encrypted. */
    startup: () => void;
  }
  interface Client {
    /** By these the server recognizes who cancels a statement; null until the session has begun. */
    readonly processID: number | null;
    readonly secretKey: number | null;
    /** The statement that is under way; undefined, too, if there is none. */
    readonly _activeQuery: object | null | undefined;
    /** Lets the process end while the connection is open. */
    readonly unref: () => void;
  }
}
