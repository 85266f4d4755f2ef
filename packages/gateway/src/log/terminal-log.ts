import { PinoPretty } from 'pino-pretty';

/** The fields that are part of the message. */
const IN_TEXT = ['method', 'path', 'status', 'durationMs'] as const;

/** Readable lines: a request as `GET /path 200 1.23 ms`, an error with its stack. */
export function terminalLog(): ReturnType<typeof PinoPretty> {
  return PinoPretty({
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
