import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Milliseconds, the same in each thread. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export interface Alarm extends AsyncDisposable {
  /** Calls `ring` at a time of `now`. It has to ring before it is set again. */
  readonly set: (at: number, ring: () => void) => void;
}

/**
 * An alarm that is right to a tenth of a millisecond, where Node's timers count whole ones. A thread sleeps meanwhile: to
 * spin would take a core from what is measured.
 */
export function createAlarm(): Alarm {
  // Linux lets a thread sleep for 50 µs longer than it wants, unless told; new threads inherit that.
  writeFileSync('/proc/self/timerslack_ns', '1000');
  const memory = new SharedArrayBuffer(16);
  const { isSet, time } = sharedAlarm(memory);
  const thread = new Worker(join(import.meta.dirname, 'alarm-thread.ts'), { workerData: memory });
  let call: (() => void) | undefined;
  thread.on('message', () => call?.());
  return {
    set: (at, ring) => {
      call = ring;
      time[0] = at;
      Atomics.store(isSet, 0, 1);
      Atomics.notify(isSet, 0);
    },
    [Symbol.asyncDispose]: async () => {
      await thread.terminate();
    },
  };
}

/** What the threads share: when it rings, and whether it has been set to. */
export function sharedAlarm(memory: unknown) {
  if (!(memory instanceof SharedArrayBuffer)) throw new TypeError('not shared');
  return { time: new Float64Array(memory, 0, 1), isSet: new Int32Array(memory, 8, 1) };
}
