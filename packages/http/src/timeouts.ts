/** The timeouts of a connection, in milliseconds. */
export interface Timeouts {
  /** For the head of a request, and for the first head on a new connection. */
  readonly head: number;
  /** For a whole request. */
  readonly request: number;
  /** For a request and its response. It expires after one to two times this value. */
  readonly response: number;
  /** For the pause between two requests. */
  readonly idle: number;
  /**
   * The interval at which idle connections are closed during shutdown. It leaves time for requests on their way, and for an
   * active client's next one.
   */
  readonly idleAtShutdown: number;
  /**
   * For the age of a connection, from half this value to all of it. Its next response is then its last, so that clients spread
   * over processes that have started since. A response in progress isn't interrupted.
   */
  readonly connection: number;
  /** The time between two checks of the first two. */
  readonly check: number;
}

/** Timeouts for a server on any network, with slow clients, and proxies that keep connections for 60 s. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  head: 10_000,
  request: 30_000,
  response: 60_000,
  // Longer than proxies keep connections, mostly 60 s. Otherwise, a connection could be closed just as it is used again.
  idle: 65_000,
  idleAtShutdown: 500,
  connection: Infinity,
  check: 1000,
};
