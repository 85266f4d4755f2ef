/** To be imported before the service (`node --import`): reports its state every second, as lines of JSON on file descriptor 3. */
import { writeSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const INTERVAL = 1000;
const RESOLUTION = 10;
const DESCRIPTOR = 3;
const NANOSECONDS = 1e6;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
delay.enable();
setInterval(() => {
  const probed = {
    rss: process.memoryUsage.rss(),
    // The measured times are those between two turns of a timer of that resolution.
    eventLoopDelay: Math.max(0, delay.max / NANOSECONDS - RESOLUTION),
  };
  delay.reset();
  try {
    writeSync(DESCRIPTOR, `${JSON.stringify(probed)}\n`);
  } catch {
    // The reader is gone, or slow: the service continues.
  }
}, INTERVAL).unref();
