import { log } from './log/log.ts';
import { loggedRequest, outsideRequest } from './log/request-context.ts';

/** Errors of one kind within this time, in milliseconds, share a line. */
const WINDOW_MS = 1000;

/** As many kinds are told apart at a time; any others get a line each. */
const MAX_KINDS = 20;

interface Window {
  /** The request under whose id the last line is. */
  requestId: string;
  /** The newest request that has shared it. */
  newestId: string;
  repeated: number;
}

/**
 * Logs an error that an outage may cause in all requests.
 *
 * @param cause is logged; errors with the same code and message are of one kind
 * @returns the id of the request under which it is logged; undefined outside any request
 */
type LogOutage = (code: string, cause: unknown) => string | undefined;

/** Logs the first error of a kind at once, and those within each second after it as one line with their number, `repeated`. */
export function createOutageLog(): LogOutage {
  const windows = new Map<string, Window>();
  return (code, cause) => {
    const kind = `${code} ${kindOf(cause)}`;
    const requestId = loggedRequest()?.id;
    const open = windows.get(kind);
    if (open !== undefined && requestId !== undefined) {
      open.repeated += 1;
      open.newestId = requestId;
      return open.requestId;
    }
    log.error({ err: cause }, code);
    // Requests can only be led to a line that has an id.
    if (requestId !== undefined && windows.size < MAX_KINDS) {
      const window = { requestId, newestId: requestId, repeated: 0 };
      windows.set(kind, window);
      const close = (): void => {
        if (window.repeated === 0) {
          windows.delete(kind);
          return;
        }
        const { newestId, repeated } = window;
        log.error({ requestId: newestId, err: cause, repeated }, code);
        Object.assign(window, { requestId: newestId, repeated: 0 });
        setTimeout(close, WINDOW_MS).unref();
      };
      outsideRequest(() => setTimeout(close, WINDOW_MS).unref());
    }
    return requestId;
  };
}

function kindOf(cause: unknown): string {
  if (!(cause instanceof Error)) {
    return typeof cause;
  }
  return `${'code' in cause ? String(cause.code) : cause.name} ${cause.message}`;
}
