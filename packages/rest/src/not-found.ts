import type { GraphQLError } from 'graphql';
import { codedError } from '@store-gateway/ops/errors';

/** The message for an address that no route has. */
export const NOT_FOUND = 'There is nothing at this address';

/** The error for an address that no route has: NOT_FOUND. */
export function notFound(): GraphQLError {
  return codedError('NOT_FOUND', NOT_FOUND);
}
