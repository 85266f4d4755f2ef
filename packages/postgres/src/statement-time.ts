import { errorCode } from '@gateway/errors/coded-error';
import { recorder } from '@gateway/telemetry/recorder';

/**
 * Tells those who measure, if anyone does, that a statement has ended.
 *
 * @param started by performance.now()
 * @param error what is thrown on, if it failed
 */
export function statementEnds(name: string, started: number, error?: unknown): void {
  recorder.statementEnded(name, (performance.now() - started) / 1000, errorType(error));
}

function errorType(error: unknown): string | undefined {
  if (error === undefined) {
    return undefined;
  }
  return errorCode(error) === 'SERVICE_UNAVAILABLE' ? 'unavailable' : 'refused';
}
