import type { GraphQLError } from 'graphql';
import { codedError, type ErrorCode } from '@store-gateway/ops/errors';
import type { InputPath } from '@store-gateway/graphql';
import type { Variables } from './variables.ts';

/** The message for an unknown address. */
const NOT_FOUND = 'There is nothing at this address';

/** Returns the error for an unknown address: NOT_FOUND. */
export function notFound(): GraphQLError {
  return codedError('NOT_FOUND', NOT_FOUND);
}

/** The message of the 404 for a path value that an input rule rejects; undefined if no path parameter has a rule. */
export function pathNotFound({ path }: Variables): string | undefined {
  return path.some(([, { extensions }]) => extensions.rule !== undefined) ? NOT_FOUND : undefined;
}

/**
 * Returns the error to send: a NOT_FOUND if there is one, otherwise the first error. If that rejects only values in the path,
 * it becomes NOT_FOUND, because the address doesn't exist.
 */
export function errorToSend(
  errors: readonly GraphQLError[],
  { path }: Variables,
): GraphQLError | undefined {
  const isOfPath = (fault: InputPath) => path.some(([, input]) => isSame(input.path, fault));
  return (
    errors.find(({ extensions }) => extensions['code'] === ('NOT_FOUND' satisfies ErrorCode)) ??
    errors.map((error) => {
      const { faults = [] } = error.extensions;
      const isNowhere =
        error.extensions['code'] === ('BAD_USER_INPUT' satisfies ErrorCode) &&
        faults.length > 0 &&
        faults.every((fault) => isOfPath(fault.path));
      return isNowhere ? notFound() : error;
    })[0]
  );
}

function isSame(one: InputPath, other: InputPath): boolean {
  return one.join('.') === other.join('.');
}
