import type { ConnectionPool, Recorder } from '../recorder.ts';
import type { Instruments } from './instruments.ts';

/** By https://opentelemetry.io/docs/specs/semconv/db/database-metrics/ where that has a name. */
export function recordDatabase({ prefix, gauge, counter, histogram }: Instruments) {
  const durations = histogram(
    'db_client_operation_duration_seconds',
    'Time that a statement took, the wait for a connection included.',
  );
  const calls = counter(
    `${prefix}database_calls_total`,
    'Calls of the database client, by what answered them: a prepared statement, or the ORM.',
    ['model', 'operation', 'answered_by'],
  );

  const pools = new Map<string, ConnectionPool>();
  const poolGauge = (
    name: string,
    description: string,
    read: (pool: ConnectionPool) => Readonly<Record<string, number>>,
  ): void => {
    gauge(name, description, () =>
      Array.from(pools, ([db_client_connection_pool_name, pool]) =>
        Object.entries(read(pool)).map(([state, value]) => {
          const labels = state === '' ? {} : { db_client_connection_state: state };
          return [value, { db_client_connection_pool_name, ...labels }] as const;
        }),
      ).flat(),
    );
  };
  poolGauge(
    'db_client_connection_count',
    'Connections to the database, by whether a statement uses them.',
    ({ idleCount, totalCount }) => ({ idle: idleCount, used: totalCount - idleCount }),
  );
  poolGauge(
    'db_client_connection_max',
    'Connections to the database that there may be.',
    ({ options }) => ({ '': options.max }),
  );
  poolGauge(
    'db_client_connection_pending_requests',
    'Statements that wait for a connection.',
    ({ waitingCount }) => ({ '': waitingCount }),
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
