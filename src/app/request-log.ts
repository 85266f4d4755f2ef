import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { log, requestIdStore } from '../log.ts';

/** What an id from outside may look like: safe in a header, a log line and a search. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/**
 * Gives each request an id, the client's own X-Request-Id if it is well-formed, which the response and
 * every log line on its behalf carry; and logs one line when it is over.
 */
export const logRequest: RequestHandler = (request, response, next) => {
  const started = performance.now();
  const given = request.get('X-Request-Id');
  const id = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
  const { method, path } = request;
  response.setHeader('X-Request-Id', id);

  requestIdStore.run(id, () => {
    response.once('close', () => {
      log.info(
        {
          requestId: id,
          method,
          path,
          status: response.statusCode,
          durationMs: Math.round((performance.now() - started) * 100) / 100,
          keyId: response.locals.caller?.keyId.toString(),
          deprecated: response.locals.deprecated,
          ...(response.writableFinished ? {} : { aborted: true }),
        },
        'request',
      );
    });
    next();
  });
};
