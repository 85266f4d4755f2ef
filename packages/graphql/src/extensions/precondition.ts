import type { GraphQLError } from 'graphql';
import { codedError, type ErrorCode } from '@store-gateway/ops/errors';

/** For a row that has changed since the caller read it. */
export const PRECONDITION_FAILED =
  'The resource has changed: its current version matches none of the expected versions';

/** For a row with a version that the change excludes. */
const PRECONDITION_EXCLUDED = 'The current version is one of those that the request excludes';

/** For a change that doesn't say which version it is of. */
export const PRECONDITION_REQUIRED = 'If-Match is required: send the ETag of the version to change';

/** How a list of expected versions excludes one: no version begins with an exclamation mark. */
export function excluding(version: string): string {
  return `!${version}`;
}

/** Whether a list of expected versions allows to change a row of this version. One of exclusions only allows all others. */
export function isExpected(expected: readonly string[], version: string): boolean {
  return (
    !expected.includes(excluding(version)) &&
    (expected.includes(version) || (expected.length > 0 && expected.every(isExclusion)))
  );
}

/** Whether an element of a list of expected versions excludes one. */
export function isExclusion(version: string): boolean {
  return version.startsWith('!');
}

/** The error for a row whose version isn't expected: PRECONDITION_FAILED. */
export function unexpectedVersion(expected: readonly string[], version: string): GraphQLError {
  return preconditionFailed(
    expected.includes(excluding(version)) ? PRECONDITION_EXCLUDED : PRECONDITION_FAILED,
  );
}

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
