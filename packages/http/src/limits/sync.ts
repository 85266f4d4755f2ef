import { log, outsideRequest } from '@store-gateway/ops';
import { merge, type Bucket } from './bucket.ts';
import { leakedIn, type NamedPolicy } from './policy.ts';
import type { SharedCounts } from './shared-counts.ts';

/** How long after a request the other processes hear of it. */
const SYNC_INTERVAL_MS = 500;
/** The same where a good part of what was left is used up; also the least pause between two syncs. */
const URGENT_INTERVAL_MS = 20;

/**
 * Adds this process's requests to the shared counts, and merges those of the others into its buckets. No request waits for
 * a sync, or fails by it: while the database is away, each process goes by its own counts.
 */
export function createSync(
  policy: NamedPolicy,
  counts: Pick<SharedCounts, 'add'>,
  now: () => number,
) {
  const unsynced = new Set<Bucket>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isUrgent = false;
  let isAway = false;
  let lastSync = now();

  function schedule(): void {
    clearTimeout(timer);
    const interval = isUrgent && !isAway ? URGENT_INTERVAL_MS : SYNC_INTERVAL_MS;
    timer = setTimeout(() => void start(), interval).unref();
  }

  async function start(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    running = outsideRequest(sync);
    await running;
    running = undefined;
    if (unsynced.size > 0) {
      schedule();
    }
  }

  async function sync(): Promise<void> {
    const at = now();
    const leaked = leakedIn(policy, at - lastSync);
    lastSync = at;
    isUrgent = false;
    const added = Array.from(unsynced, (bucket) => {
      const { subject, unsynced: requests } = bucket;
      bucket.unsynced = 0;
      return { bucket, subject, requests };
    });
    unsynced.clear();
    try {
      const levels = await counts.add(policy, added);
      for (const { bucket, subject, requests } of added) {
        const level = levels.get(subject);
        if (level !== undefined) {
          merge(bucket, policy, level, requests);
        }
      }
      if (isAway) {
        log.info('rate limits are shared with the other processes again');
      }
      isAway = false;
    } catch (error) {
      if (!isAway) {
        log.warn({ err: error }, 'rate limits are not shared: this process counts by itself');
      }
      isAway = true;
      for (const { bucket, requests } of added) {
        // A part leaks away meanwhile, as it would have in the database.
        bucket.unsynced += Math.max(0, requests - leaked);
        if (bucket.unsynced > 0 && !bucket.isEvicted) {
          unsynced.add(bucket);
        }
      }
    }
  }

  return {
    count: (bucket: Bucket): void => {
      bucket.level += 1;
      bucket.unsynced += 1;
      unsynced.add(bucket);
      const becomesUrgent = bucket.unsynced >= bucket.urgentAt && !isUrgent && !isAway;
      isUrgent ||= becomesUrgent;
      if (running === undefined && (becomesUrgent || timer === undefined)) {
        schedule();
      }
    },
    /** Drops what is unsynced of a bucket. */
    evict: (bucket: Bucket): void => {
      bucket.isEvicted = true;
      unsynced.delete(bucket);
    },
    /** Syncs all that is unsynced. Must be called before the process ends. */
    flush: async (): Promise<void> => {
      await running;
      if (unsynced.size > 0) {
        await start();
      }
      clearTimeout(timer);
    },
  };
}
