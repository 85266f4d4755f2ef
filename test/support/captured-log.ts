import { EventEmitter, once } from 'node:events';
import { isJsonObject, setLogger } from '@store-gateway/ops';
import { logFrom, writeLogTo } from '../../packages/gateway/src/log/service-log.ts';
import { onFileFinished } from './clean-up.ts';

/**
 * Captures what the service logs in this process from now on, until the file's tests are over. Call this after starting
 * all of the file's gateways, because starting one silences the log.
 */
export function captureLog() {
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
    /** Everything captured so far, as a process writes it to stdout. */
    text: () => lines.join(''),
    /** The parsed lines so far that include a text. */
    lines: (text = ''): Record<string, unknown>[] =>
      lines
        .filter((line) => line.includes(text))
        .map((line): unknown => JSON.parse(line))
        .filter(isJsonObject),
    /** Resolves to the first matching line, whether it is already written or still to come. */
    line: async (predicate: (line: string) => boolean): Promise<string> => {
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
