import type { IncomingMessage, ServerResponse } from 'node:http';
import { RETRY_AFTER_SECONDS } from '@store-gateway/ops/errors';
import { log, recorder, pathOf } from '@store-gateway/ops';
import { type Endpoint, otherMethods } from './endpoints.ts';
import type { WriteError } from './message/error-writer.ts';
import { isRead, READ_METHODS } from './message/methods.ts';
import { send } from './message/send.ts';
import { requestIdOf } from './request-context.ts';

/** The path of the liveness probe. */
export const LIVE = '/livez';
/** The path of the readiness probe. */
export const READY = '/readyz';
const PROBES = new Set([LIVE, READY]);

/** For so long one ping answers all who ask: anyone may, as often as they like. */
const PING_TTL_MS = 100;

/** A prober asks again within this time, and then has to hear that the process shuts down. */
const PROBE_INTERVAL_MS = 30_000;
const NOTICE_MS = 2000;

/** Waits for the turn of the client who asks: many may have waited for the same ping. */
type Turn = () => Promise<unknown>;

/** The answers to probes. */
export interface Health {
  /** Answers a probe: 200 with `alive` or `ready`, or 503 with the reason, as text. */
  readonly answer: (path: string, response: ServerResponse, turn: Turn) => void;
  /**
   * From now on it isn't ready. Returns the milliseconds for which new connections should still be accepted, so that
   * who probes /readyz hears of it before they are refused; 0 if nobody does.
   */
  readonly end: () => number;
}

/**
 * Whether this process is alive, and whether it is ready: what it depends on answers a ping, and it doesn't shut down.
 *
 * @param ping rejects while something that it depends on doesn't answer; by default nothing is
 * @param reasonOf why it isn't ready, by the ping's error, for whoever probes
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

  /** Resolves to why it isn't ready, if so. */
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
    // The shutdown may have begun meanwhile.
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
    // A parse error behind its head was answered during the ping.
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
  // Several come each second, for ever, and all say the same: changes are logged above.
  log.debug({ requestId, path: response.req.url, status }, 'probe');
}

/** Whether a request is a GET or HEAD of `/livez` or `/readyz`. */
export function isProbe(request: IncomingMessage): boolean {
  return PROBES.has(pathOf(request.url ?? '')) && isRead(request);
}

/** Answers requests to the probes' paths by other methods. */
export function otherProbes(writeError: WriteError): Endpoint[] {
  return Array.from(PROBES, (path) => otherMethods(path, READ_METHODS, writeError));
}
