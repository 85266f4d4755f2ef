import type { ErrorRequestHandler } from 'express';
import { codedError } from '../errors.ts';
import { errorHeaders } from '../http/error-headers.ts';
import { publicError } from '../public-error.ts';

/** Writes whatever was thrown as the contract's Error. The one place that writes an error of REST. */
export const writeError: ErrorRequestHandler = (thrown: unknown, request, response, next) => {
  if (response.headersSent) {
    // Nothing can be told any more: Express ends the connection, so that the client notices.
    next(thrown);
    return;
  }
  // A path that does not decode ("/v1/pets/%zz") names nothing.
  const error = publicError(thrown instanceof URIError ? notFound() : thrown);
  const { code, status } = error.extensions;
  response
    .status(status ?? 500)
    .set(errorHeaders(error, request))
    .json({ code, message: error.message, status });
};

export function notFound(): Error {
  return codedError('NOT_FOUND', 'There is nothing at this address');
}
