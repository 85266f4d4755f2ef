import type { ErrorRequestHandler } from 'express';
import { codedError } from '../errors.ts';
import { errorBody } from '../http/error-body.ts';
import { errorWriter } from '../http/error-writer.ts';
import { JSON_TYPE } from '../http/json-type.ts';

const write = errorWriter({ type: () => JSON_TYPE, body: errorBody });

/** Writes whatever was thrown as the contract's Error. */
export const writeError: ErrorRequestHandler = (thrown: unknown, request, response, next) => {
  // A path that does not decode ("/v1/pets/%zz") names nothing.
  write(thrown instanceof URIError ? notFound() : thrown, request, response, next);
};

export function notFound(): Error {
  return codedError('NOT_FOUND', 'There is nothing at this address');
}
