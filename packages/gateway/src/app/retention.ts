import type { GatewayDatabase } from '../database/client.ts';
import { log } from '@gateway/log/log';
import type { RateLimits } from '@gateway/rate-limits/rate-limits';

const INTERVAL_MS = 600_000;

/** Deletes expired idempotency keys and rate limit counts, now and every 10 minutes. Several processes may do so at once. */
export function startRetention(
  { $idempotencyKeys }: Pick<GatewayDatabase, '$idempotencyKeys'>,
  rateLimits: Pick<RateLimits, 'removeOld'>,
  stopped: AbortSignal,
): void {
  const attempt = async (what: string, remove: () => Promise<void>): Promise<void> => {
    try {
      await remove();
    } catch (error) {
      // A shutdown closes its connections. Whatever is left is deleted next time.
      if (!stopped.aborted) {
        log.warn({ err: error }, `${what} are not removed yet`);
      }
    }
  };
  const remove = async (): Promise<void> => {
    await attempt('old idempotency keys', () => $idempotencyKeys.forgetOld());
    await attempt('old rate limit counts', () => rateLimits.removeOld());
  };
  void remove();
  setInterval(() => void remove(), INTERVAL_MS).unref();
}
