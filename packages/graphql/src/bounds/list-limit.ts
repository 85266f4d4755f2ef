import {
  Kind,
  valueFromAST,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import type { Amount, Variables } from './amount.ts';

/** How many items a field may list, 1 if it is no list: the greatest of the sizes that it is given, or else the default one. */
export function listLimit(
  { args, extensions: { listSize } }: GraphQLField<unknown, unknown>,
  node: FieldNode,
  operation: OperationDefinitionNode | undefined,
): Amount {
  const sizes = args.filter(({ extensions }) => extensions.defaultListSize !== undefined);
  const [first] = sizes;
  if (first === undefined || listSize !== undefined) {
    return listSize ?? 1;
  }
  const defaultSize = first.extensions.defaultListSize ?? 0;
  const given = (node.arguments ?? []).flatMap(({ name, value }) => {
    const argument = sizes.find((candidate) => candidate.name === name.value);
    return argument === undefined ? [] : sizeReader(argument, value, operation);
  });
  const limit = (variables: Variables): number =>
    given.reduce<Size>((greatest, sizeWith) => {
      const size = sizeWith(variables);
      return size === undefined ? greatest : Math.max(greatest ?? 0, size);
    }, undefined) ?? defaultSize;
  const dependsOnVariables = node.arguments?.some(({ value }) => value.kind === Kind.VARIABLE);
  return dependsOnVariables === true ? limit : limit({});
}

type Size = number | undefined;

function sizeReader(
  { type, extensions }: GraphQLArgument,
  node: ValueNode,
  operation: OperationDefinitionNode | undefined,
): (variables: Variables) => Size {
  const counted = (value: unknown): Size => {
    if (value == null) {
      return undefined;
    }
    // Even a page of nothing has page info. Below a size that its rule refuses nothing is executed.
    const isSize = typeof value === 'number' && extensions.rule?.accepts(value) !== false;
    return isSize ? Math.max(value, 1) : 0;
  };
  if (node.kind !== Kind.VARIABLE) {
    const size = counted(valueFromAST(node, type));
    return () => size;
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
