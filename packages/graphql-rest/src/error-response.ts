import { codedError } from '@gateway/errors/coded-error';
import { errorBody } from '@gateway/http-server/http/error-body';
import { errorWriter, type WriteError } from '@gateway/http-server/http/error-writer';
import { JSON_TYPE } from '@gateway/http-server/http/json-type';

const write = errorWriter({ type: () => JSON_TYPE, body: errorBody });

/** Writes an error in REST's shape. */
export const writeError: WriteError = (thrown, request, response, next) => {
  // Express throws it for a path that can't be decoded.
  write(thrown instanceof URIError ? notFound() : thrown, request, response, next);
};

export function notFound(): Error {
  return codedError('NOT_FOUND', 'There is nothing at this address');
}
