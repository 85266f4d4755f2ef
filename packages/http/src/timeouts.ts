/** Milliseconds that things may take on a connection. */
export interface Timeouts {
  /** The head of a request; also until a new connection has sent one. */
  readonly head: number;
  /** A whole request. */
  readonly request: number;
  /** A request and its response: from once to twice as long. */
  readonly response: number;
  /** The pause between two requests. */
  readonly idle: number;
  /** The same during shutdown, once or twice: for requests on their way and for the next one of an active client. */
  readonly idleAtShutdown: number;
  /**
   * A connection, from half as long to as long: its next response is then its last, so that clients spread over processes
   * that have come since. A response in work is awaited.
   */
  readonly connection: number;
  /** Between two checks of the first two. */
  readonly check: number;
}

/** For a server on any network: clients that are slow, and proxies that keep connections for 60 s. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  head: 10_000,
  request: 30_000,
  response: 60_000,
  // Longer than proxies keep connections, mostly 60 s: otherwise one could be closed just as it is used again.
  idle: 65_000,
  idleAtShutdown: 500,
  connection: Infinity,
  check: 1000,
};
