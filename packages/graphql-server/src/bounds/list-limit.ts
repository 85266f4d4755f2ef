import {
  Kind,
  valueFromAST,
  type FieldNode,
  type GraphQLArgument,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import type { Limit, Variables } from './cost.ts';

/** How many items a field may list: the greatest of the sizes that it is given, the default one if there is none. */
export function listLimit(
  sizes: readonly GraphQLArgument[],
  node: FieldNode,
  operation: OperationDefinitionNode | undefined,
): Limit {
  const defaultSize = sizes[0]?.extensions.defaultListSize ?? 0;
  const given = (node.arguments ?? []).flatMap(({ name, value }) => {
    const argument = sizes.find((candidate) => candidate.name === name.value);
    return argument === undefined ? [] : [sizeOf(argument, value, operation)];
  });
  const limit = (variables: Variables): number => {
    let greatest: number | undefined;
    for (const size of given) {
      const known = typeof size === 'function' ? size(variables) : size;
      if (known !== undefined && (greatest === undefined || known > greatest)) {
        greatest = known;
      }
    }
    return greatest ?? defaultSize;
  };
  return given.some((size) => typeof size === 'function') ? limit : limit({});
}

type Size = number | undefined;

function sizeOf(
  { type, extensions }: GraphQLArgument,
  node: ValueNode,
  operation: OperationDefinitionNode | undefined,
): Size | ((variables: Variables) => Size) {
  const counted = (value: unknown): Size => {
    if (value == null) {
      return undefined;
    }
    // Even a page of nothing has page info. Below a size that its rule refuses nothing is executed.
    const isSize = typeof value === 'number' && extensions.rule?.accepts(value) !== false;
    return isSize ? Math.max(value, 1) : 0;
  };
  if (node.kind !== Kind.VARIABLE) {
    return counted(valueFromAST(node, type));
  }
  const name = node.name.value;
  const defaultNode = operation?.variableDefinitions?.find(
    ({ variable }) => variable.name.value === name,
  )?.defaultValue;
  const missing = defaultNode && valueFromAST(defaultNode, type);
  return (variables) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return counted(value === undefined ? missing : value);
  };
}
