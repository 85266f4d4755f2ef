import { keyIdOf } from '@gateway/fair-scheduling/client-of-key';
import { createFairQueue, type FairQueue } from '@gateway/fair-scheduling/fair-queue';
import { measurements } from '@gateway/telemetry/metrics/measurements';

/** The queue in which the process's requests wait for their turn, measured. */
export function createRequestQueue(): FairQueue {
  const queue = createFairQueue({
    onWaited: (client, milliseconds) => {
      measurements?.requestWaited(keyIdOf(client), milliseconds / 1000);
    },
  });
  measurements?.watchWaiting(() =>
    Array.from(queue.waiting(), ([client, count]) => [keyIdOf(client), count] as const),
  );
  return queue;
}
