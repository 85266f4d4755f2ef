import type { Recorder } from '../recorder.ts';
import type { Instruments } from './instruments.ts';

/** Keys that have a label of their own; all others share `other`. */
const MAX_KEYS = 200;

/** Of requests without a key known to be valid. */
const NO_KEY = 'none';

/** Which keys wait for their turns, and which call what is to be removed. */
export function recordClients({ prefix, gauge, counter }: Instruments) {
  const labelled = new Set<string>();
  const labelOf = (keyId: string | undefined): string => {
    if (keyId === undefined) {
      return NO_KEY;
    }
    if (!labelled.has(keyId) && labelled.size >= MAX_KEYS) {
      return 'other';
    }
    labelled.add(keyId);
    return keyId;
  };

  const waits = counter(
    `${prefix}request_wait_seconds_total`,
    'Time that requests waited for their turn or share, by the id of the key.',
    ['key_id'],
  );
  waits({ key_id: NO_KEY });

  const queues: Parameters<Recorder['observeQueue']>[0][] = [];
  gauge(
    `${prefix}waiting_requests`,
    'Requests that wait for their turn, by the id of the key.',
    () => {
      const waiting = new Map([[NO_KEY, 0]]);
      for (const [keyId, count] of queues.flatMap((queue) => [...queue()])) {
        const label = labelOf(keyId);
        waiting.set(label, (waiting.get(label) ?? 0) + count);
      }
      return Array.from(waiting, ([key_id, count]) => [count, { key_id }] as const);
    },
  );

  const deprecatedCalls = counter(
    `${prefix}deprecated_calls_total`,
    'Calls of fields that are to be removed, by the id of the key.',
    ['key_id', 'field'],
  );
  const removals = new Map<string, number>();
  gauge(
    `${prefix}deprecated_field_removal_timestamp_seconds`,
    'When a deprecated field is removed, in seconds since 1970.',
    () => Array.from(removals, ([field, at]) => [at / 1000, { field }] as const),
  );

  return {
    requestWaited: (keyId, seconds) => {
      waits({ key_id: labelOf(keyId) }).value += seconds;
    },
    observeQueue: (queue) => {
      queues.push(queue);
    },
    deprecatedFieldCalled: (keyId, field) => {
      deprecatedCalls({ key_id: labelOf(String(keyId)), field }).value += 1;
    },
    removalsPlanned: (planned) => {
      for (const { field, at } of planned) {
        removals.set(field, at);
      }
    },
  } satisfies Partial<Recorder>;
}
