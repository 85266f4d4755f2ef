import type { IncomingMessage, ServerResponse } from 'node:http';
import { RETRY_AFTER_SECONDS } from '@store-gateway/ops/errors';
import { log, recorder, pathOf } from '@store-gateway/ops';
import { type Endpoint, otherMethods } from './endpoints.ts';
import type { WriteError } from './message/error-writer.ts';
import { isRead, READ_METHODS, send } from './message/send.ts';
import { requestIdOf } from './request-head.ts';

/** The path of the liveness probe. */
export const LIVE = '/livez';
/** The path of the readiness probe. */
export const READY = '/readyz';
const PROBES = new Set([LIVE, READY]);

/** Milliseconds for which all probes share one ping, because anyone may probe as often as they like. */
const PING_TTL_MS = 100;

/** If /readyz was probed within this time, the prober will probe again, and must then see that the process is shutting down. */
const PROBE_INTERVAL_MS = 30_000;
const NOTICE_MS = 2000;

/** Waits for the probing client's turn, because other clients may have waited for the same ping. */
type Turn = () => Promise<unknown>;

/** Answers liveness and readiness probes. */
export interface Health {
  /** Answers a probe in plain text: 200 with `alive` or `ready`, or 503 with the reason. */
  readonly answer: (path: string, response: ServerResponse, turn: Turn) => void;
  /**
   * From now on, fails readiness probes. Returns the milliseconds for which new connections should still be accepted, so that
   * probers of /readyz notice before connections are refused; 0 if /readyz wasn't probed recently.
   */
  readonly end: () => number;
}

/**
 * Reports whether this process is alive, and whether it is ready: its dependencies answer a ping, and it isn't shutting down.
 *
 * @param ping rejects while a dependency doesn't respond; by default, there are no dependencies
 * @param reasonOf returns the reason to report to probers, given the ping's error
 */
export function createHealth(
  ping: () => Promise<unknown> = () => Promise.resolve(),
  reasonOf: (error: unknown) => string = () => 'a dependency does not respond',
): Health {
  let isEnding = false;
  let probedAt = -Infinity;
  let loggedReason: string | undefined;
  let lastReadiness: number | undefined;
  recorder.observe('ready', () => lastReadiness ?? []);
  let pinged: Promise<string | undefined> | undefined;

  /** Resolves to the reason why the process isn't ready; undefined if it is. */
  const pingOnce = async (): Promise<string | undefined> => {
    let reason: string | undefined;
    try {
      await ping();
      if (loggedReason !== undefined) {
        log.info('ready again');
      }
    } catch (error) {
      reason = `not ready: ${reasonOf(error)}`;
      if (reason !== loggedReason) {
        log.warn({ err: error }, reason);
      }
    }
    loggedReason = reason;
    setTimeout(() => (pinged = undefined), PING_TTL_MS).unref();
    return reason;
  };
  const sendReadiness = async (response: ServerResponse, turn: Turn): Promise<void> => {
    probedAt = performance.now();
    const failure = isEnding ? undefined : await (pinged ??= pingOnce());
    await turn();
    // The shutdown may have begun during the ping.
    const reason = isEnding ? 'not ready: shutting down' : failure;
    lastReadiness = reason === undefined ? 1 : 0;
    sendText(response, reason === undefined ? 200 : 503, `${reason ?? 'ready'}\n`);
  };
  return {
    answer: (path, response, turn) => {
      if (path === LIVE) {
        sendText(response, 200, 'alive\n');
      } else {
        void sendReadiness(response, turn);
      }
    },
    end: () => {
      isEnding = true;
      return performance.now() - probedAt < PROBE_INTERVAL_MS ? NOTICE_MS : 0;
    },
  };
}

function sendText(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) {
    // A parse error in the request's body was answered during the ping.
    return;
  }
  const requestId = requestIdOf(response.req);
  response.statusCode = status;
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  if (status === 503) {
    response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  }
  send(response, 'text/plain; charset=utf-8', text);
  // Logged at debug level, because probes come several times a second with the same result. Changes are logged above.
  log.debug({ requestId, path: response.req.url, status }, 'probe');
}

/** Whether a request is a GET or HEAD request for `/livez` or `/readyz`. */
export function isProbe(request: IncomingMessage): boolean {
  return PROBES.has(pathOf(request.url ?? '')) && isRead(request);
}

/** Returns endpoints for all other methods at the probes' paths. */
export function otherProbes(writeError: WriteError): Endpoint[] {
  return Array.from(PROBES, (path) => otherMethods(path, READ_METHODS, writeError));
}
