import { log } from '@store-gateway/ops';
import type { WorkerProcess } from './worker-process.ts';

/** Milliseconds between two pings of each worker. */
const INTERVAL_MS = 1000;

/** When a worker counts as unresponsive. */
export interface WatchOptions {
  /** Milliseconds without a response after which a worker is ended; by default 5000. */
  readonly silenceMs?: number;
  /** Called when a worker has been silent for so long. */
  readonly onHang?: () => void;
}

/**
 * Ends unresponsive workers: one that hangs holds its connections, and nobody else would notice.
 *
 * @returns stops
 */
export function watch(
  workers: Iterable<WorkerProcess>,
  { silenceMs = 5000, onHang }: WatchOptions,
): () => void {
  let askedAt = performance.now();
  const watching = setInterval(() => {
    const now = performance.now();
    // The whole machine may have stood still, this process included.
    const stoodStill = now - askedAt > 2 * INTERVAL_MS;
    askedAt = now;
    for (const worker of workers) {
      if (stoodStill) {
        worker.forgive();
      } else if (worker.silentMs() > silenceMs) {
        log.error({ worker: worker.pid }, 'a worker is unresponsive: ending it');
        onHang?.();
        worker.kill();
        // Until it has ended, it is logged only once.
        worker.forgive();
      }
      worker.ask();
    }
  }, INTERVAL_MS);
  watching.unref();
  return () => {
    clearInterval(watching);
  };
}
