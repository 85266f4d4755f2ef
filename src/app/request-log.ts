import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { RequestHandler } from 'express';
import { log, requestUnderWay, type RequestUnderWay } from '../log.ts';

/** What an id from outside may look like: safe in a header, a log line and a search. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/**
 * Gives each request an id, the client's own X-Request-Id if it is well-formed, which its answer and
 * every log line on its behalf carry; and logs one line when it is over.
 */
export function logRequests(listener: RequestListener): RequestListener {
  return (request, response) => {
    const started = performance.now();
    const given = request.headers['x-request-id'];
    const underWay: RequestUnderWay = {
      id: typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID(),
    };
    const { method, url = '' } = request;
    response.on('close', () => {
      log.info(
        {
          requestId: underWay.id,
          method,
          path: pathOf(url),
          status: response.statusCode,
          durationMs: Math.round((performance.now() - started) * 100) / 100,
          keyId: underWay.keyId,
          deprecated: underWay.deprecated,
          errorLoggedUnder: underWay.errorLoggedUnder,
          aborted: response.writableFinished ? undefined : true,
        },
        'request',
      );
    });
    requestUnderWay.run(underWay, listener, request, response);
  };
}

/** Without the query string, which may have anything in it. */
function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** Tells the client the id. To be run before anything that may answer. */
export const tellRequestId: RequestHandler = (_request, response, next) => {
  response.setHeader('X-Request-Id', requestUnderWay.getStore()?.id ?? '');
  next();
};
