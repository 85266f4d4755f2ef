import { DatabaseError, type Pool } from 'pg';
import './pg-internals.ts';

/**
 * SQLSTATEs of a server that shuts down, has crashed or starts (57P01 to 57P03), or takes no writes any more: another one
 * may have taken its place. 55000 is what a read behind a pooler finds on a standby.
 */
const LOSSES = /^(?:57P0[1-3]|25006|55000)$/;

/**
 * Has a pool drop its idle connections once a statement shows that the server is lost, so that not one request after the
 * other finds out on a connection of its own.
 */
export function dropIdleOnLoss(pool: Pool): void {
  pool.on('release', (error: unknown) => {
    if (error instanceof DatabaseError && LOSSES.test(error.code ?? '')) {
      // oxlint-disable no-underscore-dangle -- pg's own names
      const idle = pool._idle.map(({ client }) => client);
      for (const client of idle) {
        pool._remove(client);
      }
      // oxlint-enable no-underscore-dangle
    }
  });
}
