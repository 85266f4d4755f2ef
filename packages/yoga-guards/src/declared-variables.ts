import { getOperationAST, type ExecutionArgs } from 'graphql';

/**
 * The given values of the variables that an operation declares. All others are ignored
 * (https://spec.graphql.org/draft/#sec-Coercing-Variable-Values), so nobody need read them.
 */
export function declaredVariables({
  document,
  operationName,
  variableValues,
}: ExecutionArgs): Record<string, unknown> {
  const { variableDefinitions = [] } = getOperationAST(document, operationName) ?? {};
  const given = variableValues ?? {};
  return Object.fromEntries(
    variableDefinitions
      .map(({ variable }) => variable.name.value)
      .filter((name) => Object.hasOwn(given, name))
      .map((name) => [name, given[name]]),
  );
}
