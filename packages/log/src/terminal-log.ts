import { PinoPretty } from 'pino-pretty';

/** What a line tells by its text, and not once more as members. */
const IN_TEXT = ['method', 'path', 'status', 'durationMs'] as const;

/** A log for a person at a terminal: a line each, a request as `GET /v1/pets 200 1.23 ms`, and errors with their stack. */
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
