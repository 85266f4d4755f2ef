import { GraphQLError } from 'graphql';
import { codedError, errorCode, publicError } from '@store-gateway/ops/errors';

const YOGA_CODES = new Set<unknown>([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
]);

/**
 * What a GraphQL client may see of an error: errors of the closed list, and Yoga's own for documents that can't be executed,
 * pass; anything else becomes INTERNAL_SERVER_ERROR.
 */
export function maskError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError && errorCode(error) === undefined) {
    const { code, http } = error.extensions;
    if (YOGA_CODES.has(code)) {
      return error;
    }
    // Yoga's code for a request that is no operation.
    if (code === 'BAD_REQUEST') {
      const kind = http?.status === 405 ? 'METHOD_NOT_ALLOWED' : 'BAD_USER_INPUT';
      const replacement = codedError(kind, error.message);
      replacement.extensions.http = { ...http };
      return replacement;
    }
  }
  return publicError(error);
}
