import { EventEmitter, once } from 'node:events';
import { setLogger } from '@store-gateway/ops';
import { logFrom, writeLogTo } from '../../packages/gateway/src/log/service-log.ts';
import { onFileFinished } from './clean-up.ts';

/** What the service logs while it runs in this process. */
export interface CapturedLog {
  /** All of it, as a process writes it to stdout. */
  readonly text: () => string;
  /** The first line that fits, whether it is written already or still to come. */
  readonly line: (predicate: (line: string) => boolean) => Promise<string>;
}

/** Captures from now on, until the tests of the file are over. To be called once all gateways of the file have started: they silence the log. */
export function captureLog(): CapturedLog {
  const lines: string[] = [];
  const changes = new EventEmitter().setMaxListeners(0);
  const captured = writeLogTo({
    write: (line) => {
      lines.push(line);
      changes.emit('line');
    },
  });
  logFrom('info');
  onFileFinished(async () => {
    setLogger(undefined);
    captured[Symbol.dispose]();
  });
  return {
    text: () => lines.join(''),
    line: async (predicate) => {
      for (;;) {
        const found = lines.find(predicate);
        if (found !== undefined) {
          return found;
        }
        await once(changes, 'line');
      }
    },
  };
}
