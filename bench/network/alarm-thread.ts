import { parentPort, workerData } from 'node:worker_threads';
import { now, sharedAlarm } from './alarm.ts';

const { isSet, time } = sharedAlarm(workerData);
const never = new Int32Array(new SharedArrayBuffer(4));

for (;;) {
  Atomics.wait(isSet, 0, 0);
  Atomics.store(isSet, 0, 0);
  Atomics.wait(never, 0, 0, (time[0] ?? 0) - now());
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(undefined);
}
