import { keyIdOf } from '@gateway/fair-scheduling/client-of-key';
import { createFairQueue, type FairQueue } from '@gateway/fair-scheduling/fair-queue';
import { recorder } from '@gateway/telemetry/recorder';

/** The queue in which the process's requests wait for their turn, measured. */
export function createRequestQueue(): FairQueue {
  const queue = createFairQueue({
    onWaited: (client, milliseconds) => {
      recorder.add('request_wait_seconds_total', milliseconds / 1000, labelsOf(client));
    },
  });
  recorder.observe('waiting_requests', () => [
    [0, { key_id: 'none' }],
    ...Array.from(queue.waiting(), ([client, count]) => [count, labelsOf(client)] as const),
  ]);
  return queue;
}

function labelsOf(client: string) {
  return { key_id: keyIdOf(client) ?? 'none' };
}
