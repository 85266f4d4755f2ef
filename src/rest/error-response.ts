import type { ErrorRequestHandler } from 'express';
import { codedError } from '../errors.ts';
import { errorWriter } from '../http/error-writer.ts';
import { MEDIA_TYPE } from './media-type.ts';

const write = errorWriter({
  type: () => MEDIA_TYPE,
  body: ({ message, extensions: { code, status } }) => ({ code, message, status }),
});

/** Writes whatever was thrown as the contract's Error. The one place that writes an error of REST. */
export const writeError: ErrorRequestHandler = (thrown: unknown, request, response, next) => {
  // A path that does not decode ("/v1/pets/%zz") names nothing.
  write(thrown instanceof URIError ? notFound() : thrown, request, response, next);
};

export function notFound(): Error {
  return codedError('NOT_FOUND', 'There is nothing at this address');
}
