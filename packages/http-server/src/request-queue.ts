import { keyIdOf } from '@gateway/fair-scheduling/client-of-key';
import { createFairQueue, type FairQueue } from '@gateway/fair-scheduling/fair-queue';
import { recorder } from '@gateway/telemetry/recorder';

/** The queue in which the process's requests wait for their turn, measured. */
export function createRequestQueue(): FairQueue {
  const queue = createFairQueue({
    onWaited: (client, milliseconds) => {
      recorder.requestWaited(keyIdOf(client), milliseconds / 1000);
    },
  });
  recorder.observeQueue(() =>
    Array.from(queue.waiting(), ([client, count]) => [keyIdOf(client), count] as const),
  );
  return queue;
}
