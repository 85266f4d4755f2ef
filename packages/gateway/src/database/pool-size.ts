/** Maximum of connections to the database per process, unless POOL_SIZE says otherwise. */
export const DEFAULT_POOL_SIZE = 12;

/** One for reads, one for writes, two for keys. */
export const MINIMUM_POOL_SIZE = 4;
