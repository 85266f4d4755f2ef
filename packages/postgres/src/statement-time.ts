import { errorCode } from '@gateway/errors/coded-error';
import { recorder } from '@gateway/telemetry/recorder';

/**
 * Tells those who measure, if anyone does, that a statement has ended.
 *
 * @param started by performance.now()
 * @param error what is thrown on, if it failed
 */
export function statementEnds(name: string, started: number, error?: unknown): void {
  recorder.record('db_client_operation_duration_seconds', (performance.now() - started) / 1000, {
    db_query_summary: name,
    ...(error !== undefined && {
      error_type: errorCode(error) === 'SERVICE_UNAVAILABLE' ? 'unavailable' : 'refused',
    }),
  });
}
