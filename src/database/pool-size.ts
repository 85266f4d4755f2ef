/** Maximum of connections to the database per process, unless POOL_SIZE says otherwise. */
export const DEFAULT_POOL_SIZE = 12;

/** One that reads, one that writes, and two for keys. */
export const MINIMUM_POOL_SIZE = 4;
