import type { DiagLogger } from '@opentelemetry/api';
import { isJsonObject, log, outsideRequest } from '@store-gateway/ops';

/** A collector that is away fails each export. */
const MAX_LINES_PER_MINUTE = 3;
const MINUTE_MS = 60_000;
const MAX_REASON_LENGTH = 300;

/** Writes what the SDK reports of failed exports to the log, a few lines a minute. */
export function createDiagnosticsLog(): DiagLogger {
  let minuteBegan = -Infinity;
  let written = 0;
  let untold = 0;

  function warn(message: string, ...more: unknown[]): void {
    const now = performance.now();
    if (now - minuteBegan >= MINUTE_MS) {
      minuteBegan = now;
      written = 0;
    }
    if (written === MAX_LINES_PER_MINUTE) {
      untold += 1;
      return;
    }
    written += 1;
    const reason = [message, ...more.filter(isText)].map(reasonOf).join(' ');
    const line = { reason: reason.slice(0, MAX_REASON_LENGTH), untold: untold || undefined };
    // An export starts in the context of whichever request comes first.
    outsideRequest(() => {
      log.warn(line, 'problem with tracing');
    });
    untold = 0;
  }

  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
}

/** The SDK writes an error as JSON with all its members, its stack included. */
function reasonOf(part: string): string {
  try {
    const error: unknown = JSON.parse(part);
    // An AggregateError, such as of an address each, has no message.
    const { message, code, name } = isJsonObject(error) ? error : {};
    return [message, code, name].find(isText) ?? part;
  } catch {
    return part;
  }
}

function ignore(): void {
  // The SDK's own steps.
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
