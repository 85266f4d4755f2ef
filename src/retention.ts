import type { Database } from './database/client.ts';
import { log } from './log.ts';

/** Milliseconds between two looks at what is kept for too long. */
const INTERVAL = 600_000;

/**
 * Removes what is kept for a time only once that is over: now, and as long as the process runs. Of several
 * processes each does, and none minds the others.
 */
export function startRetention({ idempotencyKey }: Pick<Database, 'idempotencyKey'>): void {
  const remove = async (): Promise<void> => {
    try {
      await idempotencyKey.forgetOld();
    } catch (error) {
      log.warn({ err: error }, 'old idempotency keys are not removed yet');
    }
  };
  void remove();
  setInterval(() => void remove(), INTERVAL).unref();
}
