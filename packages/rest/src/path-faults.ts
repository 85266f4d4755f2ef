import type { GraphQLError } from 'graphql';
import { codedError, type ErrorCode } from '@store-gateway/ops/errors';
import type { InputPath } from '@store-gateway/graphql';
import type { Variables } from './variables.ts';

/** The message for an address that no route has. */
const NOT_FOUND = 'There is nothing at this address';

/** The error for an address that no route has: NOT_FOUND. */
export function notFound(): GraphQLError {
  return codedError('NOT_FOUND', NOT_FOUND);
}

/**
 * The message of the 404 for a value of the path that the operation rejects, or that refers to nothing; undefined if it accepts
 * any.
 */
export function pathNotFound({ path }: Variables): string | undefined {
  return path.some(([, { extensions }]) => extensions.rule !== undefined) ? NOT_FOUND : undefined;
}

/** Of an operation's errors the one to send: what is wrong with the path goes first, because then there is nothing there. */
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
