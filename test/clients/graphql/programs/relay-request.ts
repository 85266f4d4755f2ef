import {
  buildSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  parse,
  valueFromASTUntyped,
  type GraphQLObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import type { ConcreteRequest } from 'relay-runtime';

const schema = buildSchema(
  await (await fetch(`${process.env['ANIMAL_STORE_URL']}/schema.graphql`)).text(),
);

/** What relay-compiler makes of a document of plain fields (the example has it compiled). */
export function requestOf(text: string): ConcreteRequest {
  const operation = parse(text).definitions[0] as OperationDefinitionNode;
  const name = operation.name?.value ?? '';
  const type = schema.getRootType(operation.operation)!;
  const argumentDefinitions = (operation.variableDefinitions ?? []).map(({ variable }) => ({
    kind: 'LocalArgument',
    name: variable.name.value,
    defaultValue: null,
  }));
  const selections = selectionsOf(operation.selectionSet, type);
  return {
    kind: 'Request',
    fragment: {
      kind: 'Fragment',
      name,
      type: type.name,
      metadata: null,
      argumentDefinitions,
      selections,
    },
    operation: { kind: 'Operation', name, argumentDefinitions, selections },
    params: {
      id: null,
      cacheID: name,
      metadata: {},
      name,
      operationKind: operation.operation,
      text,
    },
  } as unknown as ConcreteRequest;
}

function selectionsOf({ selections }: SelectionSetNode, parent: GraphQLObjectType): object[] {
  return selections.flatMap((selection) => {
    if (selection.kind !== Kind.FIELD) {
      return [];
    }
    const name = selection.name.value;
    const args = (selection.arguments ?? []).map((argument) =>
      argumentOf(argument.name.value, argument.value),
    );
    const type = getNullableType(parent.getFields()[name]!.type);
    const named = getNamedType(type);
    const field = { alias: null, args, name, storageKey: null };
    return isLeafType(named) || !isObjectType(named)
      ? [{ kind: 'ScalarField', ...field }]
      : [
          {
            kind: 'LinkedField',
            ...field,
            concreteType: named.name,
            plural: isListType(type),
            selections: selectionsOf(selection.selectionSet!, named),
          },
        ];
  });
}

function argumentOf(name: string, value: ValueNode): object {
  return value.kind === Kind.VARIABLE
    ? { kind: 'Variable', name, variableName: value.name.value }
    : { kind: 'Literal', name, value: valueFromASTUntyped(value) };
}
