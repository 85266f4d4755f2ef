import type { GraphQLError } from 'graphql';
import { codedError } from '@store-gateway/errors/coded-error';

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Of a string that changes whenever its row does: REST's entity tags begin with it. */
    isVersion?: boolean | undefined;
  }
  interface GraphQLArgumentExtensions {
    /**
     * Of a mutation's list of strings: it does nothing but throw `preconditionFailed` unless the row's version is one of them.
     * REST has them from `If-Match`; the empty list is of tags that no version matches.
     */
    isPrecondition?: boolean | undefined;
  }
}

/** For a row that has changed since the caller read it. */
export const PRECONDITION_FAILED =
  'This has changed since it was read: its version is none of those expected';

/** For a change that doesn't say which version it is of. */
export const PRECONDITION_REQUIRED =
  'This change needs the version that it is of: If-Match with the ETag of a response';

export function preconditionFailed(): GraphQLError {
  return codedError('PRECONDITION_FAILED', PRECONDITION_FAILED);
}

export function preconditionRequired(): GraphQLError {
  return codedError('PRECONDITION_REQUIRED', PRECONDITION_REQUIRED);
}
