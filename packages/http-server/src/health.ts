import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Database } from '../../../src/database/client.ts';
import { isRefusalOfWrite } from '@gateway/postgres/write-refusals';
import { RETRY_AFTER_SECONDS } from '@gateway/errors/coded-error';
import type { FairQueue } from '@gateway/fair-scheduling/fair-queue';
import { methodNotAllowed } from './http/allowed-methods.ts';
import { send } from './http/send.ts';
import { log } from '@gateway/log/log';
import { recorder } from '@gateway/telemetry/recorder';
import type { TurnListener } from './request-scheduling.ts';
import { requestIdOf } from './request-log.ts';
import { pathOf } from '@gateway/telemetry/request-path';

export const LIVE = '/livez';
export const READY = '/readyz';
const PROBES = new Set([LIVE, READY]);
const METHODS = ['GET', 'HEAD'];
const TEXT = 'text/plain; charset=utf-8';

/** Milliseconds for which an answer of the database holds for all who ask: anyone may, as often as they like. */
const MOMENT = 100;

/** Milliseconds within which whoever watches us asks again, and those that they have to hear that we end. */
const WATCHING = 30_000;
const NOTICE = 2000;

/** Waits for the turn of the client who asks: many may have waited for the same word of the database. */
type Turn = () => Promise<unknown>;

export interface Health {
  /** Answers GET and HEAD of the two addresses of health. */
  readonly answer: (
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
    turn?: Turn,
  ) => void;
  /**
   * From now on it isn't ready. Returns the milliseconds for which new connections should still be taken: as
   * many as whoever watches /readyz needs to hear of it, so that none comes when they are refused; 0 if
   * nobody watches.
   */
  readonly end: () => number;
}

/**
 * Whether this process serves, and whether it is of use: its database answers, has the tables and takes writes,
 * and it isn't about to end. That all migrations were applied is known of the start alone (src/database/start.ts): of a
 * database that has taken the place of that one, a table that is missing is seen, a column is not.
 */
export function createHealth(database: Pick<Database, '$ping'>): Health {
  let ending = false;
  let watchedAt = -Infinity;
  let toldReason: string | undefined;
  let asked: Promise<string | undefined> | undefined;

  /** Resolves to why it isn't ready, if so. */
  const ask = async (): Promise<string | undefined> => {
    const [reason, error] = await database.$ping().then(
      () => [],
      (thrown: unknown) => [reasonOf(thrown), thrown] as const,
    );
    if (reason !== undefined && reason !== toldReason) {
      log.warn({ err: error }, reason);
    } else if (reason === undefined && toldReason !== undefined) {
      log.info('ready again');
    }
    toldReason = reason;
    setTimeout(() => (asked = undefined), MOMENT).unref();
    return reason;
  };

  const sendReadiness = async (
    request: IncomingMessage,
    response: ServerResponse,
    turn: Turn | undefined,
  ) => {
    watchedAt = performance.now();
    const failure = ending ? undefined : await (asked ??= ask());
    await turn?.();
    // It may have been told to end meanwhile.
    const reason = ending ? 'not ready: it is about to end' : failure;
    recorder.readinessChecked(reason === undefined);
    sendText(request, response, reason === undefined ? 200 : 503, `${reason ?? 'ready'}\n`);
  };

  return {
    answer: (path, request, response, turn) => {
      if (path === LIVE) {
        sendText(request, response, 200, 'alive\n');
      } else {
        void sendReadiness(request, response, turn);
      }
    },
    end: () => {
      ending = true;
      return performance.now() - watchedAt < WATCHING ? NOTICE : 0;
    },
  };
}

function reasonOf(error: unknown): string {
  return isRefusalOfWrite(error)
    ? 'not ready: the database takes no writes'
    : 'not ready: the database cannot be used';
}

function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
): void {
  if (response.headersSent) {
    // It was answered while the database was asked: as malformed, for what came behind its head.
    return;
  }
  const requestId = requestIdOf(request);
  response.statusCode = status;
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  if (status === 503) {
    response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  }
  send(response, TEXT, text);
  // Several come each second, for ever, and they all say the same: what changes is told above.
  log.debug({ requestId, path: request.url, status }, 'probe');
}

/** Whether a request is one that `answerProbe` answers. */
export function isProbe({ method = '', url = '' }: IncomingMessage): boolean {
  return PROBES.has(pathOf(url)) && METHODS.includes(method);
}

/** Answers a probe before anything else looks at it: neither counted, nor bounded, nor in the log. */
export function answerProbe(health: Health, queue: FairQueue): TurnListener {
  return (request, response, { client: { name } }) => {
    health.answer(pathOf(request.url ?? ''), request, response, async () => queue.turn(name));
  };
}

/** For other methods, and for an address that is written in another way. */
export function serveProbes(health: Health): RequestHandler {
  return (request, response, next) => {
    if (!PROBES.has(request.path)) {
      next();
    } else if (METHODS.includes(request.method)) {
      health.answer(request.path, request, response);
    } else {
      throw methodNotAllowed(response, METHODS);
    }
  };
}
