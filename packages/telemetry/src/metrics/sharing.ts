import type { Meter } from '@opentelemetry/api';
import { createCounts } from './counts.ts';
import type { Recorder } from '../recorder.ts';

/** How much of what clients ask for is done once for several of them. */
export function measureSharing(meter: Meter): Pick<Recorder, 'coalescingAt' | 'batchSent'> {
  const sharedCalls = createCounts(
    meter.createObservableCounter('animal_store_shared_calls_total', {
      description: 'Calls that could share one, by whether they led it or joined.',
    }),
  );
  const batches = meter.createHistogram('animal_store_statement_calls', {
    description: 'Calls that went to the database in one statement.',
    advice: { explicitBucketBoundaries: [1, 2, 4, 8, 16, 32] },
  });
  const statements = countsAt('statements');

  function countsAt(place: string) {
    return {
      led: sharedCalls({ place, role: 'led' }),
      joined: sharedCalls({ place, role: 'joined' }),
    };
  }

  return {
    coalescingAt: (place) => {
      const { led, joined } = countsAt(place);
      return (isLed) => {
        (isLed ? led : joined).value += 1;
      };
    },
    batchSent: (calls) => {
      batches.record(calls);
      statements.led.value += 1;
      statements.joined.value += calls - 1;
    },
  };
}
