import type { Meter } from '@opentelemetry/api';
import { createCounts, type Count } from './counts.ts';
import { createKeyLabels } from './key-labels.ts';
import type { Recorder } from '../recorder.ts';

/** Who still calls what is to be removed. */
export function measureDeprecation(
  meter: Meter,
): Pick<Recorder, 'deprecatedFieldCalled' | 'removalsPlanned'> {
  const deprecatedCalls = createCounts(
    meter.createObservableCounter('animal_store_deprecated_calls_total', {
      description: 'Calls of fields that are to be removed, by the id of the key.',
    }),
  );
  const labelOf = createKeyLabels();
  const byKey = new Map<string, Map<string, Count>>();

  const removals = new Map<string, number>();
  meter
    .createObservableGauge('animal_store_deprecated_field_removal_timestamp_seconds', {
      description: 'When a deprecated field is removed, in seconds since 1970.',
    })
    .addCallback((result) => {
      for (const [field, at] of removals) {
        result.observe(at / 1000, { field });
      }
    });

  return {
    deprecatedFieldCalled: (keyId, field) => {
      const key_id = labelOf(String(keyId));
      const ofKey = byKey.get(key_id) ?? new Map<string, Count>();
      byKey.set(key_id, ofKey);
      const count = ofKey.get(field) ?? deprecatedCalls({ key_id, field });
      ofKey.set(field, count);
      count.value += 1;
    },
    removalsPlanned: (announced) => {
      for (const { field, at } of announced) {
        removals.set(field, at);
      }
    },
  };
}
