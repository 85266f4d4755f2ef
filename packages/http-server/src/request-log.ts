import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { RequestHandler } from 'express';
import { hideKeys } from '@gateway/log/redact-keys';
import { log, requestUnderWay, type RequestUnderWay } from '@gateway/log/log';
import { recorder } from '@gateway/telemetry/recorder';
import { pathOf } from '@gateway/telemetry/request-path';
import type { TurnListener } from './request-scheduling.ts';
import { surfaceOf } from '../../../src/app/surface.ts';
import { traceIdIn } from './traceparent.ts';

/** What an id from outside may look like: safe in a header, a log line and a search. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** What is shorter is no wait that anyone would look for. */
const MIN_WAIT_MS = 1;

/**
 * Gives each request an id, the client's own X-Request-Id if it is well-formed, which its answer and
 * every log line on its behalf carry; and logs one line when it is over.
 */
export function logRequests(listener: RequestListener): TurnListener {
  return (request, response, { arrivedAt, waitedMs }) => {
    const underWay: RequestUnderWay = {
      id: String(response.getHeader('X-Request-Id') ?? requestIdOf(request)),
      // Also without traces of our own: whoever has called us may have some.
      traceId: traceIdIn(request.headers['traceparent']),
      waitedMs: waitedMs || undefined,
    };
    const { method, url = '' } = request;
    const end = (): void => {
      const milliseconds = performance.now() - arrivedAt;
      const waited = underWay.waitedMs ?? 0;
      const path = pathOf(url);
      const status = response.headersSent ? response.statusCode : undefined;
      recorder.requestEnded({
        surface: surfaceOf(path),
        operation: underWay.operation,
        status,
        authentication: underWay.authentication,
        seconds: milliseconds / 1000,
      });
      log.info(
        {
          requestId: underWay.id,
          traceId: underWay.traceId,
          method,
          path,
          status,
          durationMs: rounded(milliseconds),
          waitedMs: waited < MIN_WAIT_MS ? undefined : rounded(waited),
          keyId: underWay.keyId,
          deprecated: underWay.deprecated,
          errorLoggedUnder: underWay.errorLoggedUnder,
          aborted: response.writableFinished ? undefined : true,
        },
        'request',
      );
    };
    if (request.socket.destroyed || response.headersSent) {
      // While it waited, its client has gone, or a fault in its body was answered (packages/http-server/src/parse-errors.ts).
      end();
      return;
    }
    response.on('close', end);
    requestUnderWay.run(underWay, listener, request, response);
  };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}

/** The client's own id if it is well-formed and has no key in it, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) && hideKeys(given) === given
    ? given
    : randomUUID();
}

/** Tells the client the id. To be run before anything that may answer. */
export const tellRequestId: RequestHandler = (_request, response, next) => {
  response.setHeader('X-Request-Id', requestUnderWay.getStore()?.id ?? '');
  next();
};
