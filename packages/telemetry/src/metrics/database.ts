import type { ConnectionPool, Recorder } from '../recorder.ts';
import type { Instruments } from './instruments.ts';

/** By https://opentelemetry.io/docs/specs/semconv/db/database-metrics/ where that has a name. */
export function recordDatabase({ gauge, counter, histogram }: Instruments) {
  const durations = histogram(
    'db_client_operation_duration_seconds',
    'Time that a statement took, the wait for a connection included.',
  );
  const calls = counter(
    'database_calls_total',
    'Calls of the database client, by what answered them: a prepared statement, or the ORM.',
    ['model', 'operation', 'answered_by'],
  );

  const pools = new Map<string, ConnectionPool>();
  const poolGauge = (
    name: string,
    description: string,
    read: (pool: ConnectionPool, observe: (value: number, state?: string) => void) => void,
  ): void => {
    gauge(name, description, (observe) => {
      for (const [poolName, pool] of pools) {
        read(pool, (value, state) => {
          observe(value, {
            db_client_connection_pool_name: poolName,
            ...(state !== undefined && { db_client_connection_state: state }),
          });
        });
      }
    });
  };
  poolGauge(
    'db_client_connection_count',
    'Connections to the database, by whether a statement uses them.',
    ({ idleCount, totalCount }, observe) => {
      observe(idleCount, 'idle');
      observe(totalCount - idleCount, 'used');
    },
  );
  poolGauge(
    'db_client_connection_max',
    'Connections to the database that there may be.',
    ({ options }, observe) => {
      observe(options.max);
    },
  );
  poolGauge(
    'db_client_connection_pending_requests',
    'Statements that wait for a connection.',
    ({ waitingCount }, observe) => {
      observe(waitingCount);
    },
  );

  return {
    statementEnded: (name, seconds, errorType) => {
      durations.record(seconds, {
        db_query_summary: name,
        ...(errorType !== undefined && { error_type: errorType }),
      });
    },
    databaseCalled: (model, operation, by) => {
      calls({ model, operation, answered_by: by }).value += 1;
    },
    observePool: (name, pool) => {
      pools.set(name, pool);
    },
  } satisfies Partial<Recorder>;
}
