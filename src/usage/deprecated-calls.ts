import type { Database } from '../database/client.ts';
import { log, onNobodysBehalf } from '@gateway/log/log';
import { recorder } from '@gateway/telemetry/recorder';
import { addDeprecatedCalls } from './deprecated-call-records.ts';

/** Counts who still calls what is to be removed, so that an operator can tell them in time. */
export interface DeprecatedCalls {
  readonly count: (keyId: bigint, field: string) => void;
  /** Writes and logs what has been counted since the last time. To be called before the process ends. */
  readonly flush: () => Promise<void>;
}

/**
 * Calls are counted in memory, so that being counted costs a caller nothing, and written at most this often. A
 * process that is killed loses what it has not written.
 */
const WRITE_INTERVAL_MS = 1000;

/** After a pause a call is written this soon, for an operator who looks right away. */
const BATCH_WINDOW_MS = 100;

export function createDeprecatedCalls(database: Database): DeprecatedCalls {
  let counts = new Map<string, Map<bigint, number>>();
  let timer: NodeJS.Timeout | undefined;
  let writtenAt = -Infinity;
  let written = Promise.resolve();

  function add(keyId: bigint, field: string, calls: number): void {
    const ofField = counts.get(field) ?? new Map<bigint, number>();
    counts.set(field, ofField.set(keyId, (ofField.get(keyId) ?? 0) + calls));
    timer ??= onNobodysBehalf(() => setTimeout(() => void flush(), untilWritten()).unref());
  }

  function untilWritten(): number {
    return Math.max(BATCH_WINDOW_MS, writtenAt + WRITE_INTERVAL_MS - performance.now());
  }

  /** Waits for what is being written already, too. */
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
      recorder.deprecatedFieldCalled(keyId, field);
    },
    flush,
  };
}
