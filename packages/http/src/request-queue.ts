import { holdsKey, keyIdOf } from './fair/client-of-key.ts';
import { createFairQueue, type FairQueue } from './fair/fair-queue.ts';
import { recorder } from '@store-gateway/ops';

/** Returns the name of the client that probes from an address. */
export function probeClient(address: string): string {
  return `probe:${address}`;
}

/**
 * Returns the class in which a client shares time. Each key has its own share. Addresses cost nothing, so all clients without a
 * key have one share together, as they have of open requests. Unverified keys have another, because new clients are among them,
 * and probes have a third, because an orchestrator that gets no answer would restart the service.
 */
function classOf(client: string): string | undefined {
  return holdsKey(client) ? undefined : client.slice(0, client.indexOf(':'));
}

/** Creates the queue in which the process's requests wait for their turn, with metrics. */
export function createRequestQueue(): FairQueue {
  const queue = createFairQueue({
    classOf,
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
