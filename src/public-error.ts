import { GraphQLError } from 'graphql';
import { codedError, ERROR_KINDS, errorCode } from './errors.ts';
import { log } from './log.ts';

/** Errors that have been through here: one that passes both surfaces' edges is logged once. */
const logged = new WeakSet<GraphQLError>();

/**
 * What a caller may see of something thrown: an error of the closed list as it is, everything else as
 * INTERNAL_SERVER_ERROR. What is not the caller's fault is logged here, and nowhere else.
 */
export function publicError(thrown: unknown): GraphQLError {
  const code = errorCode(thrown);
  if (!(thrown instanceof GraphQLError) || code === undefined) {
    log.error({ err: thrown }, 'unexpected error');
    const { message, extensions } = codedError('INTERNAL_SERVER_ERROR', 'unexpected error');
    const { path, nodes } = thrown instanceof GraphQLError ? thrown : {};
    // Where in the operation it happened is no secret, and tells a client what is missing.
    const replacement = new GraphQLError(message, {
      extensions,
      path: path ?? null,
      nodes: nodes ?? null,
    });
    logged.add(replacement);
    return replacement;
  }
  if (ERROR_KINDS[code].status >= 500 && !logged.has(thrown)) {
    log.error({ err: thrown.originalError?.cause ?? thrown.cause ?? thrown }, code);
    logged.add(thrown);
  }
  return thrown;
}
