import type { GatewayDatabase } from '../database/client.ts';
import { log } from '@store-gateway/ops';
import type { RateLimits } from '@store-gateway/http/limits';

const INTERVAL_MS = 600_000;

/** Deleting this many rows takes a tenth of the statement timeout. */
const BATCH_SIZE = 1000;

/** Deletes idempotency keys older than a day, which statements already ignore (packages/data). */
const FORGET_OLD = {
  name: 'forget-idempotency-keys',
  text: `
    WITH old AS (
      SELECT key_id, name FROM _gateway_idempotency_keys
      WHERE created_at < now() - interval '1 day' ORDER BY created_at LIMIT ${BATCH_SIZE}
      FOR UPDATE SKIP LOCKED
    )
    DELETE FROM _gateway_idempotency_keys USING old
    WHERE (_gateway_idempotency_keys.key_id, _gateway_idempotency_keys.name) = (old.key_id, old.name)
    RETURNING true`,
};

/** Deletes expired idempotency keys and rate limit counts, now and every 10 minutes. Several processes may run it at once. */
export function startRetention(
  { $write }: Pick<GatewayDatabase, '$write'>,
  rateLimits: Pick<RateLimits, 'removeOld'>,
  stopped: AbortSignal,
): void {
  const attempt = async (what: string, remove: () => Promise<void>): Promise<void> => {
    try {
      await remove();
    } catch (error) {
      // During a shutdown, the connections are closed. The next run deletes the rest.
      if (!stopped.aborted) {
        log.warn({ err: error }, `could not delete ${what}; will try again later`);
      }
    }
  };
  const remove = async (): Promise<void> => {
    await attempt('old idempotency keys', async () => {
      while ((await $write(FORGET_OLD)).length === BATCH_SIZE);
    });
    await attempt('old rate limit counts', () => rateLimits.removeOld());
  };
  void remove();
  setInterval(() => void remove(), INTERVAL_MS).unref();
}
