import { getOperationAST, type ExecutionArgs } from 'graphql';

/**
 * The values of the variables that an operation declares. All others are ignored
 * (https://spec.graphql.org/draft/#sec-Coercing-Variable-Values).
 */
export function declaredVariables(
  args: Pick<ExecutionArgs, 'document' | 'operationName' | 'variableValues'>,
): Readonly<Record<string, unknown>> {
  const { variableDefinitions = [] } = getOperationAST(args.document, args.operationName) ?? {};
  const given = args.variableValues ?? {};
  const names = variableDefinitions.map(({ variable }) => variable.name.value);
  return Object.keys(given).every((name) => names.includes(name))
    ? given
    : Object.fromEntries(
        names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]),
      );
}
