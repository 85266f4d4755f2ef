import type { ClientConfig } from 'pg';

/** Of each list of servers, the index of the one that took the last connection of this process. */
const lastTaken = new Map<string, number>();

/**
 * In which order to try several servers: as libpq does, but beginning with the one that took the last connection. So a
 * dead one is waited for once, and not by each connection.
 */
export function serverOrder(servers: readonly ClientConfig[]) {
  const list = JSON.stringify(servers.map(({ host, port }) => [host, port]));
  return {
    /** Indexes of all of them. */
    indexes: (): number[] => {
      const first = lastTaken.get(list) ?? 0;
      return servers.map((_, index) => (first + index) % servers.length);
    },
    /** Notes that a server has taken a connection. */
    took: (index: number): void => {
      if (servers.length > 1) {
        lastTaken.set(list, index);
      }
    },
  };
}
