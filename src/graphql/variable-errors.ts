import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { codedError, ERROR_KINDS } from '../errors.ts';
import { variableFaults } from './variable-faults.ts';

/**
 * Tells variables that don't fit as BAD_USER_INPUT, in the words of the schema's rules. The executor
 * reports them without a code, and in its own words: before it starts, or, where a variable that may be
 * null stands for an argument that may not, at the field.
 */
export function useVariableErrors(): Plugin {
  return {
    onExecute: ({ args }) => ({
      onExecuteDone(payload) {
        const { result } = payload;
        if (Symbol.asyncIterator in result || result.errors?.some(isUncoded) !== true) {
          return;
        }
        const faults = variableFaults(args);
        if (faults.length === 0) {
          return;
        }
        const message = faults.join('; ');
        const errors = result.errors.map((error: GraphQLError) =>
          isUncoded(error) ? variableError(message, error) : error,
        );
        // Nothing was executed, so there is one error for all the variables.
        payload.setResult({ ...result, errors: 'data' in result ? errors : errors.slice(0, 1) });
      },
    }),
  };
}

/** The executor's own: a resolver's error is coded, or has what was thrown as its original. */
function isUncoded({ extensions, originalError }: GraphQLError): boolean {
  const thrownByResolver = originalError != null && !(originalError instanceof GraphQLError);
  return extensions['code'] === undefined && !thrownByResolver;
}

function variableError(message: string, { path, nodes }: GraphQLError): GraphQLError {
  const { extensions } = codedError('BAD_USER_INPUT', message);
  if (path === undefined) {
    // `spec`: the request is well-formed, so a client that asks for application/json gets 200.
    extensions.http = { status: ERROR_KINDS.BAD_USER_INPUT.status, spec: true };
  }
  return new GraphQLError(message, { extensions, path: path ?? null, nodes: nodes ?? null });
}
