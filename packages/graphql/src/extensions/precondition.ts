import type { GraphQLError } from 'graphql';
import { codedError, type ErrorCode } from '@store-gateway/ops/errors';

/** The message for a row that has changed since the caller read it. */
export const PRECONDITION_FAILED =
  'The resource has changed: its current version matches none of the expected versions';

/** The message for a row whose version the request excludes. */
const PRECONDITION_EXCLUDED = 'The current version is one of those that the request excludes';

/** The message for a change that doesn't name the version that it expects. */
export const PRECONDITION_REQUIRED = 'If-Match is required: send the ETag of the version to change';

/** Marks an excluded version in a list of expected versions. No version begins with an exclamation mark. */
export function excluding(version: string): string {
  return `!${version}`;
}

/**
 * Whether a list of expected versions allows a change to a row with this version. A list that only excludes versions allows all
 * others.
 */
export function isExpected(expected: readonly string[], version: string): boolean {
  return (
    !expected.includes(excluding(version)) &&
    (expected.includes(version) || (expected.length > 0 && expected.every(isExclusion)))
  );
}

/** Whether an element of a list of expected versions excludes a version. */
export function isExclusion(version: string): boolean {
  return version.startsWith('!');
}

/** Creates PRECONDITION_FAILED for a row whose version isn't expected. */
export function unexpectedVersion(expected: readonly string[], version: string): GraphQLError {
  return preconditionFailed(
    expected.includes(excluding(version)) ? PRECONDITION_EXCLUDED : PRECONDITION_FAILED,
  );
}

/** Creates PRECONDITION_FAILED for a change to a version that is no longer current. */
export function preconditionFailed(message = PRECONDITION_FAILED): GraphQLError {
  return codedError('PRECONDITION_FAILED', message);
}

/** Whether an error is PRECONDITION_FAILED. */
export function isPreconditionFailed({ extensions }: GraphQLError): boolean {
  return extensions['code'] === ('PRECONDITION_FAILED' satisfies ErrorCode);
}

/** Creates PRECONDITION_REQUIRED for a change that doesn't name the version that it expects. */
export function preconditionRequired(): GraphQLError {
  return codedError('PRECONDITION_REQUIRED', PRECONDITION_REQUIRED);
}
