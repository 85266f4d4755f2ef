import { log } from '@store-gateway/log/log';
import { loggedRequest, outsideRequest } from '@store-gateway/log/request-context';

/** Errors of one kind within this time, in milliseconds, share a line. */
const WINDOW_MS = 1000;

/** As many kinds are told apart at a time; any others get a line each. */
const MAX_KINDS = 20;

interface Window {
  readonly requestId: string | undefined;
  repeated: number;
}

const windows = new Map<string, Window>();

/**
 * Logs an error that an outage may cause in all requests. The first of its kind is logged at once, and those within each second
 * after it as one line with their number, `repeated`.
 *
 * @param cause what is logged, by whose code and message it is of the same kind as others
 * @returns the request under whose id it is logged; undefined if there is none
 */
export function logOutage(code: string, cause: unknown): string | undefined {
  const kind = `${code} ${kindOf(cause)}`;
  const open = windows.get(kind);
  if (open !== undefined) {
    open.repeated += 1;
    return open.requestId;
  }
  const requestId = loggedRequest()?.id;
  log.error({ err: cause }, code);
  if (windows.size < MAX_KINDS) {
    const window = { requestId, repeated: 0 };
    windows.set(kind, window);
    const close = (): void => {
      const { repeated } = window;
      if (repeated === 0) {
        windows.delete(kind);
        return;
      }
      window.repeated = 0;
      log.error({ err: cause, repeated }, code);
      setTimeout(close, WINDOW_MS).unref();
    };
    outsideRequest(() => setTimeout(close, WINDOW_MS).unref());
  }
  return requestId;
}

function kindOf(cause: unknown): string {
  if (!(cause instanceof Error)) {
    return typeof cause;
  }
  return `${'code' in cause ? String(cause.code) : cause.name} ${cause.message}`;
}
