import type { Attributes, Meter } from '@opentelemetry/api';
import type { Pool } from 'pg';
import { DURATION_BUCKETS } from './duration-buckets.ts';
import { createCounts, type Count } from './counts.ts';
import type { Recorder } from '../recorder.ts';

interface Observed {
  readonly pool: Pool;
  readonly tell: (value: number, labels?: Attributes) => void;
}

/** Names and labels where there are such: https://opentelemetry.io/docs/specs/semconv/db/database-metrics/ */
export function measureDatabase(
  meter: Meter,
): Pick<Recorder, 'statementEnded' | 'observePool' | 'databaseCalled'> {
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

  const calls = createCounts(
    meter.createObservableCounter('database_calls_total', {
      description:
        'Calls of the database client, by what answered them: a prepared statement, or the ORM.',
    }),
  );
  const byCall = new Map<string, Count>();

  return {
    databaseCalled: (model, operation, by) => {
      const name = `${model}.${operation} ${by}`;
      const count = byCall.get(name) ?? calls({ model, operation, answered_by: by });
      byCall.set(name, count);
      count.value += 1;
    },
    statementEnded: (name, seconds, errorType) => {
      durations.record(seconds, {
        db_query_summary: name,
        ...(errorType !== undefined && { error_type: errorType }),
      });
    },
    observePool: (name, pool) => {
      pools.set(name, pool);
    },
  };
}
