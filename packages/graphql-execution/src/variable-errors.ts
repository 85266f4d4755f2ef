import { GraphQLError, type ExecutionResult } from 'graphql';
import { codedError, ERROR_KINDS, placedAt } from '@gateway/errors/coded-error';
import { variableFaults, type Operation } from './variable-faults.ts';

/**
 * Tells variables that don't fit as BAD_USER_INPUT, in the words of the schema's rules. The executor
 * reports them without a code, and in its own words: before it starts, or, where a variable that may be
 * null stands for an argument that may not, at the field.
 */
export function errorsWithVariablesNamed(
  result: ExecutionResult,
  operation: Operation,
): readonly GraphQLError[] {
  const { errors = [] } = result;
  const faults = errors.some(isUncoded) ? variableFaults(operation) : [];
  if (faults.length === 0) {
    return errors;
  }
  const message = faults.join('; ');
  const named = errors.map((error) => (isUncoded(error) ? variableError(message, error) : error));
  // Nothing was executed, so there is one error for all the variables.
  return 'data' in result ? named : named.slice(0, 1);
}

/** The executor's own: a resolver's error is coded, or has what was thrown as its original. */
function isUncoded({ extensions, originalError }: GraphQLError): boolean {
  const thrownByResolver = originalError != null && !(originalError instanceof GraphQLError);
  return extensions['code'] === undefined && !thrownByResolver;
}

function variableError(message: string, error: GraphQLError): GraphQLError {
  const { extensions } = codedError('BAD_USER_INPUT', message);
  if (error.path === undefined) {
    // `spec`: the request is well-formed, so a client that asks for application/json gets 200.
    extensions.http = { status: ERROR_KINDS.BAD_USER_INPUT.status, spec: true };
  }
  return placedAt(error, new GraphQLError(message, { extensions }));
}
