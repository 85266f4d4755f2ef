import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { nameOperation } from '@gateway/log/log';
import { complexityFault } from './bounds/complexity.ts';
import { deprecationOf, type SelectedDeprecation } from './deprecations.ts';
import { rootFieldOf } from './root-fields.ts';

/** Learns which deprecated field the operation selects. */
interface Context {
  deprecation?: SelectedDeprecation | undefined;
}

/** An operation of a valid document. */
export type ValidOperation = Pick<
  ExecutionArgs,
  'schema' | 'document' | 'operationName' | 'variableValues'
>;

export type ExecuteValid<Of extends Context> = (
  operation: ValidOperation,
  context: Of,
) => Promise<ExecutionResult>;

/** Names operations, notes what is deprecated, and rejects what is too complex, before anything is executed. */
export function guardExecution<Of extends Context>(execute: ExecuteValid<Of>): ExecuteValid<Of> {
  return (operation, context) => {
    // First: the response to an operation that is rejected announces it, too.
    context.deprecation = deprecationOf(operation);
    nameOperation(rootFieldOf(operation));
    const fault = complexityFault(operation);
    return fault === undefined ? execute(operation, context) : Promise.resolve({ errors: [fault] });
  };
}

/** Has Yoga execute operations so. */
export function useExecution<Of extends Context & Record<string, unknown>>(
  execute: ExecuteValid<Of>,
): Plugin<Of> {
  return {
    onExecute({ args, context, setExecuteFn }) {
      setExecuteFn(() => execute(args, context));
    },
  };
}
