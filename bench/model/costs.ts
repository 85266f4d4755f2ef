/** What a kind of request takes, in microseconds. */
export interface Costs {
  /** CPU time of the gateway for a request, however many share a statement. */
  readonly request: number;
  /** The same for a statement, with the turns of the event loop that it takes. */
  readonly statement: number;
  /** The same for a request, for each other one that the process has: of the collector, which copies what lives long. */
  readonly crowd: number;
  /** How much of all that the event loop's thread uses, in parts of 1: the rest is the other threads', such as the collector's. */
  readonly mainThread: number;
  /** CPU time of PostgreSQL for a statement. */
  readonly execution: number;
  /** The same for each request of a statement: 0 where requests are coalesced. */
  readonly row: number;
  /** How long a statement waits for what takes no CPU time, such as the disk. */
  readonly wait: number;
  /** CPU time of the load generator for a request. */
  readonly load: number;
  /** The same for each time that it is woken up. */
  readonly loadWakeUp: number;
  /** How many requests a statement may have. */
  readonly maxBatch: number;
  /** How many statements of a process may be in flight at a time: one where requests are batched. */
  readonly maxInFlight: number;
}
