import type { Attributes, Meter } from '@opentelemetry/api';
import type { Pool } from 'pg';
import { DURATION_BUCKETS } from './duration-buckets.ts';
import type { Measurements } from './measurements.ts';

interface Observed {
  readonly pool: Pool;
  readonly tell: (value: number, labels?: Attributes) => void;
}

/** Names and labels where there are such: https://opentelemetry.io/docs/specs/semconv/db/database-metrics/ */
export function measureDatabase(meter: Meter): Pick<Measurements, 'statementEnds' | 'watchPool'> {
  const durations = meter.createHistogram('db_client_operation_duration_seconds', {
    description: 'Time that a statement took, the wait for a connection included.',
    advice: { explicitBucketBoundaries: DURATION_BUCKETS },
  });

  const pools = new Map<string, Pool>();
  const gauge = (name: string, description: string, observe: (pool: Observed) => void): void => {
    meter.createObservableGauge(name, { description }).addCallback((result) => {
      for (const [poolName, pool] of pools) {
        observe({
          pool,
          tell: (value, labels) => {
            result.observe(value, { db_client_connection_pool_name: poolName, ...labels });
          },
        });
      }
    });
  };
  gauge(
    'db_client_connection_count',
    'Connections to the database, by whether a statement uses them.',
    ({ pool, tell }) => {
      tell(pool.idleCount, { db_client_connection_state: 'idle' });
      tell(pool.totalCount - pool.idleCount, { db_client_connection_state: 'used' });
    },
  );
  gauge(
    'db_client_connection_max',
    'Connections to the database that there may be.',
    ({ pool, tell }) => {
      tell(pool.options.max);
    },
  );
  gauge(
    'db_client_connection_pending_requests',
    'Statements that wait for a connection.',
    ({ pool, tell }) => {
      tell(pool.waitingCount);
    },
  );

  return {
    statementEnds: (name, seconds, errorType) => {
      durations.record(seconds, {
        db_query_summary: name,
        ...(errorType !== undefined && { error_type: errorType }),
      });
    },
    watchPool: (name, pool) => {
      pools.set(name, pool);
    },
  };
}
