import { errorCode } from '@gateway/errors/coded-error';
import { recorder } from '@gateway/telemetry/recorder';
import { asUnavailable } from './failure.ts';

/**
 * Runs a statement, and records how long it took.
 *
 * @param name of the statement, in metrics
 * @throws SERVICE_UNAVAILABLE if the database can't answer; otherwise what `run` throws
 */
export async function timeStatement<Result>(
  name: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const started = performance.now();
  try {
    const result = await run();
    record(name, started);
    return result;
  } catch (thrown) {
    const error = asUnavailable(thrown);
    record(name, started, errorCode(error) === 'SERVICE_UNAVAILABLE' ? 'unavailable' : 'refused');
    throw error;
  }
}

function record(name: string, started: number, errorType?: string): void {
  recorder.record('db_client_operation_duration_seconds', (performance.now() - started) / 1000, {
    db_query_summary: name,
    ...(errorType !== undefined && { error_type: errorType }),
  });
}
