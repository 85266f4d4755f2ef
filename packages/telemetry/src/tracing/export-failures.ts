import type { DiagLogger } from '@opentelemetry/api';
import { isJsonObject } from '@gateway/exact-json/json';
import { log, onNobodysBehalf } from '@gateway/log/log';

/** Lines that are written in a minute at most: a collector that is away fails each export. */
const AT_MOST = 3;
const MINUTE = 60_000;
const REASON_LENGTH = 300;

/** Tells the log of what goes wrong with traces, in a few lines. */
export function createTroubleLog(): DiagLogger {
  let minute = -Infinity;
  let written = 0;
  let untold = 0;

  function tell(message: string, ...more: unknown[]): void {
    const now = performance.now();
    if (now - minute >= MINUTE) {
      minute = now;
      written = 0;
    }
    if (written === AT_MOST) {
      untold += 1;
      return;
    }
    written += 1;
    const reason = [message, ...more.filter(isText)].map(textOf).join(' ');
    const line = { reason: reason.slice(0, REASON_LENGTH), untold: untold || undefined };
    // Exports begin with whichever request comes first.
    onNobodysBehalf(() => {
      log.warn(line, 'trouble with traces');
    });
    untold = 0;
  }

  return { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore };
}

function ignore(): void {
  // Steps of the SDK's own.
}

/** The SDK tells an error as JSON with all of its members, its stack included. */
function textOf(part: string): string {
  if (!part.startsWith('{')) {
    return part;
  }
  try {
    const error: unknown = JSON.parse(part);
    const { message, code, name }: Record<string, unknown> = isJsonObject(error) ? error : {};
    // Several errors together, such as those of an address each, have no message.
    return [message, code, name].find(isText) ?? part;
  } catch {
    return part;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
