import type { Meter } from '@opentelemetry/api';
import { createCounts, type Count } from './counts.ts';
import { createKeyLabels } from './key-labels.ts';
import type { Recorder } from '../recorder.ts';

/** Of requests that come without a key, or with one that isn't known to be valid. */
const NO_KEY = 'none';

/** Who waits for a turn or a share, and for how long: those who ask for most. */
export function measureFairness(meter: Meter): Pick<Recorder, 'requestWaited' | 'observeQueue'> {
  const labelOf = createKeyLabels();
  const labelOfAny = (keyId: string | undefined) => (keyId === undefined ? NO_KEY : labelOf(keyId));

  const waited = createCounts(
    meter.createObservableCounter('animal_store_request_wait_seconds_total', {
      description: 'Time that requests waited for their turn or share, by the id of the key.',
    }),
  );
  const byLabel = new Map<string, Count>([[NO_KEY, waited({ key_id: NO_KEY })]]);

  const queues: (() => Iterable<readonly [string | undefined, number]>)[] = [];
  meter
    .createObservableGauge('animal_store_waiting_requests', {
      description: 'Requests that wait for their turn, by the id of the key.',
    })
    .addCallback((result) => {
      const waiting = new Map([[NO_KEY, 0]]);
      for (const [keyId, count] of queues.flatMap((queue) => [...queue()])) {
        const label = labelOfAny(keyId);
        waiting.set(label, (waiting.get(label) ?? 0) + count);
      }
      for (const [key_id, count] of waiting) {
        result.observe(count, { key_id });
      }
    });

  return {
    requestWaited: (keyId, seconds) => {
      const label = labelOfAny(keyId);
      const count = byLabel.get(label) ?? waited({ key_id: label });
      byLabel.set(label, count);
      count.value += seconds;
    },
    observeQueue: (queue) => {
      queues.push(queue);
    },
  };
}
