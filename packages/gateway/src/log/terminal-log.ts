import type { LogDestination } from '../definition.ts';

/** The fields that are part of the message. */
const IN_TEXT = ['method', 'path', 'status', 'durationMs'] as const;

/**
 * Readable lines: a request as `GET /path 200 1.23 ms`, an error with its stack. Undefined where pino-pretty isn't installed:
 * production does without its 13 packages.
 */
export async function terminalLog(): Promise<LogDestination | undefined> {
  const pretty = await import('pino-pretty').catch((failure: unknown) => {
    if (failure instanceof Error && 'code' in failure && failure.code === 'ERR_MODULE_NOT_FOUND') {
      return undefined;
    }
    throw failure;
  });
  return pretty?.PinoPretty({
    sync: true,
    singleLine: true,
    ignore: IN_TEXT.join(','),
    messageFormat: (line, messageKey) => {
      const [method, path, status, durationMs] = IN_TEXT.map((name) => line[name]);
      const duration = typeof durationMs === 'number' ? `${durationMs} ms` : undefined;
      return [method ?? line[messageKey], path, status, duration]
        .filter((part) => part !== undefined)
        .map(String)
        .join(' ');
    },
  });
}
