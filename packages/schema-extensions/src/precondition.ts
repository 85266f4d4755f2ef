import type { GraphQLError } from 'graphql';
import { codedError, type ErrorCode } from '@store-gateway/errors/coded-error';

/** For a row that has changed since the caller read it. */
export const PRECONDITION_FAILED =
  'This has changed since it was read: its version is none of those expected';

/** For a change that doesn't say which version it is of. */
export const PRECONDITION_REQUIRED =
  'This change needs the version that it is of: If-Match with the ETag of a response';

/** The error for a change of a version that is no more: PRECONDITION_FAILED. */
export function preconditionFailed(message = PRECONDITION_FAILED): GraphQLError {
  return codedError('PRECONDITION_FAILED', message);
}

/** Whether an error is PRECONDITION_FAILED. */
export function isPreconditionFailed({ extensions }: GraphQLError): boolean {
  return extensions['code'] === ('PRECONDITION_FAILED' satisfies ErrorCode);
}

/** The error for a change that has to say of which version it is: PRECONDITION_REQUIRED. */
export function preconditionRequired(): GraphQLError {
  return codedError('PRECONDITION_REQUIRED', PRECONDITION_REQUIRED);
}
