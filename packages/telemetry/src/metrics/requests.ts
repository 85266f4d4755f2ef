import type { Server } from 'node:net';
import { promisify } from 'node:util';
import type { Meter } from '@opentelemetry/api';
import { createCounts } from './counts.ts';
import { DURATION_BUCKETS } from './duration-buckets.ts';
import type { Recorder } from '../recorder.ts';

/** Names and labels where there are such: https://opentelemetry.io/docs/specs/semconv/http/http-metrics/ */
export function measureRequests(
  meter: Meter,
): Pick<Recorder, 'requestStarted' | 'requestEnded' | 'observeConnections'> {
  const durations = meter.createHistogram('http_server_request_duration_seconds', {
    description: 'Time from the headers of a request to the end of its answer.',
    advice: { explicitBucketBoundaries: DURATION_BUCKETS },
  });
  let active = 0;
  meter
    .createObservableGauge('http_server_active_requests', {
      description: 'Requests that are being answered.',
    })
    .addCallback((result) => {
      result.observe(active);
    });

  const servers = new Set<Server>();
  meter
    .createObservableGauge('http_server_open_connections', {
      description: 'Connections of clients that are open.',
    })
    .addCallback(async (result) => {
      const counts = await Promise.all(Array.from(servers, connectionsOf));
      result.observe(counts.reduce((total, count) => total + count, 0));
    });

  const outcome = createCounts(
    meter.createObservableCounter('animal_store_authentications_total', {
      description: 'Requests that needed a key, by what came of it.',
    }),
  );
  const outcomes = {
    ok: outcome({ outcome: 'ok' }),
    no_key: outcome({ outcome: 'no_key' }),
    malformed: outcome({ outcome: 'malformed' }),
    unknown: outcome({ outcome: 'unknown' }),
    expired: outcome({ outcome: 'expired' }),
    rate_limited: outcome({ outcome: 'rate_limited' }),
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
        outcomes[authentication].value += 1;
      }
    },
    observeConnections: (server) => {
      servers.add(server);
    },
  };
}

function connectionsOf(server: Server): Promise<number> {
  return promisify(server.getConnections.bind(server))();
}
