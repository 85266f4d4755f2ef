import type { Statement } from '@store-gateway/ops';
import type { Pool } from 'pg';
import { asUnavailable, refusesWrites } from './failure.ts';
import { runStatement } from './statement.ts';

/**
 * Whether requests can be served, writes included. A disk can't be asked whether it is full, nor an old session whether
 * new ones are read-only: so after a refused write each ping runs the write probe, until that works. Everything else is
 * asked on a read connection, because writes that hang, waiting for a lost standby, say nothing of reads.
 *
 * @returns pings; rejects with SERVICE_UNAVAILABLE, or with PostgreSQL's error if the probe is at fault
 */
export function createPing({
  readPool,
  writePool,
  probe,
  writeProbe,
}: {
  readonly readPool: Pool;
  readonly writePool: Pool;
  /** Fails where requests would: it names their tables, reads nothing, and is refused by a standby. */
  readonly probe: Statement;
  /** Writes something and rolls it back. */
  readonly writeProbe: string;
}): () => Promise<void> {
  let wasRefused = false;
  // A pool releases a connection with the error of its last use, if there was one.
  writePool.on('release', (error: unknown) => {
    wasRefused ||= refusesWrites(error);
  });
  return async () => {
    await runStatement(readPool, probe, []);
    if (wasRefused) {
      await writePool.query(writeProbe).catch((error: unknown) => {
        throw asUnavailable(error);
      });
      wasRefused = false;
    }
  };
}
