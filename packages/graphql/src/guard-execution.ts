import { getOperationAST, type ExecutionResult } from 'graphql';
import { nameOperation } from '@store-gateway/ops';
import { complexityFault } from './bounds/complexity.ts';
import { deprecationOf, type SelectedDeprecation } from './marks/deprecations.ts';
import { memoizePerOperation, type ValidOperation } from './execution/operation.ts';
import { selectedFields } from './marks/uses.ts';

/** Learns what the operation uses that is deprecated. */
export interface OperationContext extends Record<string, unknown> {
  deprecation?: SelectedDeprecation | undefined;
}

/** Executes an operation of a validated document. */
export type ExecuteValid<Context extends OperationContext> = (
  operation: ValidOperation,
  context: Context,
) => Promise<ExecutionResult>;

/**
 * Names operations, notes what is deprecated, and rejects what is too complex, before anything is executed. Of variables those
 * that the operation declares are passed on.
 */
export function guardExecution<Context extends OperationContext>(
  execute: ExecuteValid<Context>,
): ExecuteValid<Context> {
  return (operation, context) => {
    // First: the response to an operation that is rejected announces it, too.
    context.deprecation = deprecationOf(operation);
    nameOperation(rootFieldOf(operation));
    const fault = complexityFault(operation);
    return fault === undefined
      ? execute({ ...operation, variableValues: declaredVariables(operation) }, context)
      : Promise.resolve({ errors: [fault] });
  };
}

/** What operations are called in logs and metrics: the name that a client gives could be any text. */
const rootFieldOf = memoizePerOperation((operation) => {
  const roots = selectedFields(operation).filter(({ rootKey }) => rootKey !== undefined);
  const [name = 'none', another] = new Set(roots.map(({ mark }) => mark.field.name));
  // A name for each combination would be too many for metrics.
  return another === undefined ? name : 'several';
});

/**
 * The values of the variables that an operation declares. All others are ignored
 * (https://spec.graphql.org/draft/#sec-Coercing-Variable-Values).
 */
function declaredVariables({ document, operationName, variableValues }: ValidOperation) {
  const { variableDefinitions = [] } = getOperationAST(document, operationName) ?? {};
  const given = variableValues ?? {};
  const names = variableDefinitions.map(({ variable }) => variable.name.value);
  return Object.keys(given).every((name) => names.includes(name))
    ? given
    : Object.fromEntries(
        names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]),
      );
}
