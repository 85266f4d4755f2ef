import type { DiagLogger } from '@opentelemetry/api';
import { isJsonObject, log, outsideRequest } from '@store-gateway/ops';

/** Maximum number of lines per minute. Every export fails while the collector is unreachable, so the log must be limited. */
const MAX_LINES_PER_MINUTE = 3;
const MINUTE_MS = 60_000;
const MAX_REASON_LENGTH = 300;

/** Logs the SDK's reports of failed exports, a few lines a minute. */
export function createDiagnosticsLog(): DiagLogger {
  let minuteBegan = -Infinity;
  let written = 0;
  let suppressed = 0;

  function warn(message: string, ...more: unknown[]): void {
    const now = performance.now();
    if (now - minuteBegan >= MINUTE_MS) {
      minuteBegan = now;
      written = 0;
    }
    if (written === MAX_LINES_PER_MINUTE) {
      suppressed += 1;
      return;
    }
    written += 1;
    const reason = [message, ...more.filter(isText)].map(reasonOf).join(' ');
    const line = {
      reason: reason.slice(0, MAX_REASON_LENGTH),
      suppressed: suppressed || undefined,
    };
    // An export runs in the context of the request that happened to trigger it.
    outsideRequest(() => {
      log.warn(line, 'problem with tracing');
    });
    suppressed = 0;
  }

  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
}

/** Extracts the reason from a report, in which the SDK writes an error as JSON with all its members, including the stack. */
function reasonOf(part: string): string {
  try {
    const error: unknown = JSON.parse(part);
    // An AggregateError, such as one with an error per address, has no message.
    const { message, code, name } = isJsonObject(error) ? error : {};
    return [message, code, name].find(isText) ?? part;
  } catch {
    return part;
  }
}

function ignore(): void {
  // Reports about the SDK's own steps aren't logged.
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
