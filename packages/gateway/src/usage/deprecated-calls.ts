import type { GatewayDatabase } from '../database/client.ts';
import { log } from '@gateway/log/log';
import { outsideRequest } from '@gateway/log/request-context';
import { recorder } from '@gateway/telemetry/recorder';
import { addDeprecatedCalls } from './deprecated-call-records.ts';

/** Counts which keys still call deprecated fields, so that the operator can inform their owners in time. */
export interface DeprecatedCalls {
  readonly count: (keyId: bigint, field: string) => void;
  /** Writes and logs what is counted. Must be called before the process ends. */
  readonly flush: () => Promise<void>;
}

/** Calls are counted in memory and written at most this often; a process that is killed loses the rest. */
const WRITE_INTERVAL_MS = 1000;

/** The first call after a pause is written sooner, for an operator who looks right away. */
const BATCH_WINDOW_MS = 100;

export function createDeprecatedCalls(database: Pick<GatewayDatabase, '$write'>): DeprecatedCalls {
  let counts = new Map<string, Map<bigint, number>>();
  let timer: NodeJS.Timeout | undefined;
  let writtenAt = -Infinity;
  let written = Promise.resolve();

  function add(keyId: bigint, field: string, calls: number): void {
    const ofField = counts.get(field) ?? new Map<bigint, number>();
    counts.set(field, ofField.set(keyId, (ofField.get(keyId) ?? 0) + calls));
    timer ??= outsideRequest(() => setTimeout(() => void flush(), untilWritten()).unref());
  }

  function untilWritten(): number {
    return Math.max(BATCH_WINDOW_MS, writtenAt + WRITE_INTERVAL_MS - performance.now());
  }

  async function flush(): Promise<void> {
    written = written.then(write);
    return written;
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writtenAt = performance.now();
    const counted = Array.from(counts, ([field, ofField]) =>
      Array.from(ofField, ([keyId, calls]) => ({ keyId, field, calls })),
    ).flat();
    counts = new Map();
    if (counted.length === 0) {
      return;
    }
    try {
      await addDeprecatedCalls(database, counted, new Date());
    } catch (error) {
      log.warn({ err: error }, 'calls of deprecated fields are not written yet');
      for (const { keyId, field, calls } of counted) {
        add(keyId, field, calls);
      }
      return;
    }
    for (const { keyId, field, calls } of counted) {
      log.warn({ keyId: String(keyId), field, calls }, 'deprecated field called');
    }
  }

  return {
    count: (keyId, field) => {
      add(keyId, field, 1);
      recorder.add('deprecated_calls_total', 1, { key_id: String(keyId), field });
    },
    flush,
  };
}
