import type { Recorder } from '../recorder.ts';
import type { Instruments } from './instruments.ts';

/** How much of what clients ask for is done once for several of them. */
export function recordCoalescing({ prefix, counter, histogram }: Instruments) {
  const calls = counter(
    `${prefix}shared_calls_total`,
    'Calls that could share one, by whether they led it or joined.',
    ['place', 'role'],
  );
  const batches = histogram(
    `${prefix}statement_calls`,
    'Calls that went to the database in one statement.',
    [1, 2, 4, 8, 16, 32],
  );
  const countsAt = (place: string) => ({
    led: calls({ place, role: 'led' }),
    joined: calls({ place, role: 'joined' }),
  });
  const statements = countsAt('statements');

  return {
    coalescingAt: (place) => {
      const { led, joined } = countsAt(place);
      return (isLed) => {
        (isLed ? led : joined).value += 1;
      };
    },
    batchSent: (size) => {
      batches.record(size);
      statements.led.value += 1;
      statements.joined.value += size - 1;
    },
  } satisfies Partial<Recorder>;
}
