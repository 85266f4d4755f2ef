import type { Server } from 'node:net';
import { promisify } from 'node:util';
import type { AuthenticationOutcome } from '@gateway/log/log';
import type { Recorder } from '../recorder.ts';
import type { Instruments } from './instruments.ts';

const UNPARSED_STATUSES = [400, 405, 408, 431, undefined];

const OUTCOMES: readonly AuthenticationOutcome[] = [
  'ok',
  'no_key',
  'malformed',
  'unknown',
  'expired',
  'rate_limited',
];

/** The HTTP server, by https://opentelemetry.io/docs/specs/semconv/http/http-metrics/ where that has a name. */
export function recordRequests({ prefix, gauge, counter, histogram }: Instruments) {
  const durations = histogram(
    'http_server_request_duration_seconds',
    'Time from the headers of a request to the end of its answer.',
  );
  let active = 0;
  gauge('http_server_active_requests', 'Requests that are being answered.', () => active);

  const servers = new Set<Server>();
  gauge('http_server_open_connections', 'Connections of clients that are open.', async () => {
    const counts = await Promise.all(
      Array.from(servers, (server) => promisify(server.getConnections.bind(server))()),
    );
    return counts.reduce((total, count) => total + count, 0);
  });

  const authentications = counter(
    `${prefix}authentications_total`,
    'Requests that needed a key, by what came of it.',
    ['outcome'],
  );
  OUTCOMES.forEach((outcome) => authentications({ outcome }));

  const unparsed = counter(
    `${prefix}unread_requests_total`,
    'What came and was no HTTP request, by the status it was answered with.',
    ['http_response_status_code'],
  );
  const unparsedWith = (status: number | undefined) =>
    unparsed({ http_response_status_code: String(status ?? 'none') });
  UNPARSED_STATUSES.forEach(unparsedWith);

  /** @returns sets the value of a gauge, which has none before */
  const settable = (name: string, description: string): ((value: number) => void) => {
    let current: number | undefined;
    gauge(name, description, () => (current === undefined ? [] : current));
    return (value) => {
      current = value;
    };
  };
  const setReady = settable(
    `${prefix}ready`,
    'What /readyz said last: 1 for ready, 0 for not; nothing before anyone has asked.',
  );
  const setLimit = {
    requests: settable('http_server_active_requests_max', 'Requests that may be open at a time.'),
    connections: settable(
      'http_server_open_connections_max',
      'Connections of clients that may be open; those beyond are refused.',
    ),
  };

  return {
    requestStarted: () => {
      active += 1;
    },
    requestEnded: ({ surface, operation = 'other', status, authentication, seconds }) => {
      active -= 1;
      durations.record(seconds, {
        surface,
        operation,
        http_response_status_code: status ?? 'none',
      });
      if (authentication !== undefined) {
        authentications({ outcome: authentication }).value += 1;
      }
    },
    rejectedBeforeParsing: (status) => {
      unparsedWith(status).value += 1;
    },
    readinessChecked: (isReady) => {
      setReady(Number(isReady));
    },
    limitSet: (of, maximum) => {
      setLimit[of](maximum);
    },
    observeConnections: (server) => {
      servers.add(server);
    },
  } satisfies Partial<Recorder>;
}
