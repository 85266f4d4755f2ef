import type { ErrorRequestHandler, Request } from 'express';
import type { GraphQLError } from 'graphql';
import { publicError } from '@gateway/errors/public-error';
import { errorHeaders } from './error-headers.ts';
import { send } from './send.ts';

/** How a surface tells an error: its media type and the JSON of its body. */
export interface ErrorShape {
  readonly type: (request: Request) => string;
  readonly body: (error: GraphQLError) => object;
}

/** Writes whatever was thrown, with the status and headers of its kind, in a surface's own shape. */
export function errorWriter({ type, body }: ErrorShape): ErrorRequestHandler {
  return function writeError(thrown: unknown, request, response, next) {
    if (response.writableEnded) {
      // It has been answered otherwise, such as one whose body did not come in time.
      return;
    }
    if (response.headersSent) {
      // Nothing can be told any more: the connection is ended (src/app/unrouted-requests.ts), so that the client
      // notices; the log has the error.
      publicError(thrown);
      next(thrown);
      return;
    }
    const error = publicError(thrown);
    response.status(error.extensions.status ?? 500).set(errorHeaders(error, request));
    send(response, type(request), JSON.stringify(body(error)));
  };
}
