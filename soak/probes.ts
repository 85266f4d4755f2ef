import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { isJsonObject } from '@store-gateway/ops';

/** The service's report about itself, every second (probe.ts). */
export interface Probe {
  /** Bytes. */
  readonly rss: number;
  /** The longest delay in that second, in milliseconds. */
  readonly eventLoopDelay: number;
}

/** Reads what a process with probe.ts in it writes to its file descriptor 3. */
export function readProbes({ stdio }: ChildProcess, probed: (probe: Probe) => void): void {
  const pipe = stdio[3];
  if (!isReadable(pipe)) {
    throw new Error('there is no pipe to read the probes from');
  }
  createInterface({ input: pipe }).on('line', (line) => {
    const told: unknown = JSON.parse(line);
    if (isJsonObject(told)) {
      probed({ rss: Number(told['rss']), eventLoopDelay: Number(told['eventLoopDelay']) });
    }
  });
}

export function isReadable(stream: unknown): stream is Readable {
  return typeof stream === 'object' && stream !== null && 'read' in stream;
}
