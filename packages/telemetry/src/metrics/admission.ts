import type { Meter } from '@opentelemetry/api';
import { createCounts, type Count } from './counts.ts';
import type { Recorder } from '../recorder.ts';

/** Told from the start, since a count that begins with its first event is no increase to Prometheus. */
const STATUSES = [400, 405, 408, 431, undefined];

/** What the process lets in: whether it is ready for any, how much it takes at a time, what it could not read. */
export function measureAdmission(
  meter: Meter,
): Pick<Recorder, 'rejectedBeforeParsing' | 'readinessChecked' | 'limitSet'> {
  const unread = createCounts(
    meter.createObservableCounter('animal_store_unread_requests_total', {
      description: 'What came and was no HTTP request, by the status it was answered with.',
    }),
  );
  const byStatus = new Map<number | undefined, Count>();
  const countOf = (status: number | undefined): Count => {
    const count = byStatus.get(status) ?? unread({ http_response_status_code: status ?? 'none' });
    byStatus.set(status, count);
    return count;
  };
  STATUSES.forEach(countOf);

  const gauge = (name: string, description: string): ((value: number) => void) => {
    let told: number | undefined;
    meter.createObservableGauge(name, { description }).addCallback((result) => {
      if (told !== undefined) {
        result.observe(told);
      }
    });
    return (value) => {
      told = value;
    };
  };
  const tellReady = gauge(
    'animal_store_ready',
    'What /readyz said last: 1 for ready, 0 for not; nothing before anyone has asked.',
  );
  const tellMaximum: Readonly<Record<'requests' | 'connections', (value: number) => void>> = {
    requests: gauge('http_server_active_requests_max', 'Requests that may be open at a time.'),
    connections: gauge(
      'http_server_open_connections_max',
      'Connections of clients that may be open; those beyond are refused.',
    ),
  };

  return {
    rejectedBeforeParsing: (status) => {
      countOf(status).value += 1;
    },
    readinessChecked: (isReady) => {
      tellReady(Number(isReady));
    },
    limitSet: (of, maximum) => {
      tellMaximum[of](maximum);
    },
  };
}
