import type { Database } from '../database/client.ts';
import { log } from '@gateway/log/log';
import type { RateLimits } from '@gateway/rate-limits/rate-limits';

/** Milliseconds between two looks at what is kept for too long. */
const INTERVAL = 600_000;

/**
 * Removes what is kept for a time only once that is over: now, and until the process is `stopped`. Of several
 * processes each does, and none minds the others.
 */
export function startRetention(
  { idempotencyKey }: Pick<Database, 'idempotencyKey'>,
  rateLimits: Pick<RateLimits, 'removeOld'>,
  stopped: AbortSignal,
): void {
  /** What can't be removed now, the next time will find. */
  const attempt = async (what: string, remove: () => Promise<void>): Promise<void> => {
    try {
      await remove();
    } catch (error) {
      // The end of a process doesn't wait for it, and takes its connections away.
      if (!stopped.aborted) {
        log.warn({ err: error }, `${what} are not removed yet`);
      }
    }
  };
  const remove = async (): Promise<void> => {
    await attempt('old idempotency keys', () => idempotencyKey.forgetOld());
    await attempt('old rate limit counts', () => rateLimits.removeOld());
  };
  void remove();
  setInterval(() => void remove(), INTERVAL).unref();
}
