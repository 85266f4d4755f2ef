import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { nameOperation } from '@gateway/log/request-context';
import { complexityFault } from './bounds/complexity.ts';
import { deprecationOf, type SelectedDeprecation } from './deprecations.ts';
import { rootFieldOf } from './root-fields.ts';

/** Learns which deprecated field the operation selects. */
export interface OperationContext extends Record<string, unknown> {
  deprecation?: SelectedDeprecation | undefined;
}

/** An operation of a valid document. */
export type ValidOperation = Pick<
  ExecutionArgs,
  'schema' | 'document' | 'operationName' | 'variableValues'
>;

export type ExecuteValid<Context extends OperationContext> = (
  operation: ValidOperation,
  context: Context,
) => Promise<ExecutionResult>;

/** Names operations, notes what is deprecated, and rejects what is too complex, before anything is executed. */
export function guardExecution<Context extends OperationContext>(
  execute: ExecuteValid<Context>,
): ExecuteValid<Context> {
  return (operation, context) => {
    // First: the response to an operation that is rejected announces it, too.
    context.deprecation = deprecationOf(operation);
    nameOperation(rootFieldOf(operation));
    const fault = complexityFault(operation);
    return fault === undefined ? execute(operation, context) : Promise.resolve({ errors: [fault] });
  };
}
