import {
  getNamedType,
  getOperationAST,
  isInputObjectType,
  isInputType,
  isNonNullType,
  Kind,
  separateOperations,
  typeFromAST,
  TypeInfo,
  valueFromAST,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLSchema,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql';
import { inputFaults, type Input } from '../schema/input-faults.ts';

export interface Operation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variableValues?: object | null | undefined;
}

/**
 * What is wrong with the variables of an operation that would not execute for their sake. A variable is
 * named as the argument or input field that it stands for, whatever the client calls it, so that both
 * surfaces tell a fault in the same words.
 */
export function variableFaults(operation: Operation): string[] {
  const { schema, document, operationName, variableValues } = operation;
  const executed = getOperationAST(document, operationName);
  // Another operation of the document may use a variable of the same name for something else.
  const inputs = inputsByVariable(
    schema,
    separateOperations(document)[executed?.name?.value ?? ''] ?? document,
  );
  const values = new Map<string, unknown>(Object.entries(variableValues ?? {}));
  return (executed?.variableDefinitions ?? []).flatMap((definition) => {
    const name = definition.variable.name.value;
    return faultsOf(schema, definition, inputs.get(name), values.get(name));
  });
}

function faultsOf(
  schema: GraphQLSchema,
  { variable, type: typeNode, defaultValue: defaultNode }: VariableDefinitionNode,
  input: Input | undefined,
  given: unknown,
): string[] {
  const type = typeFromAST(schema, typeNode);
  if (!isInputType(type)) {
    return [];
  }
  const defaultValue = defaultNode && valueFromAST(defaultNode, type);
  const value = given === undefined ? defaultValue : given;
  if (value === null && input !== undefined && isNonNullType(input.type)) {
    return inputFaults(input, null);
  }
  const { name, extensions } = input ?? { name: variable.name.value, extensions: {} };
  return inputFaults({ name, type, defaultValue, extensions }, value);
}

/** The argument or input field that each variable of a document is given to. */
function inputsByVariable(schema: GraphQLSchema, document: DocumentNode): Map<string, Input> {
  const inputs = new Map<string, Input>();
  const typeInfo = new TypeInfo(schema);
  const note = (value: ValueNode, input: Input | null | undefined): void => {
    if (value.kind === Kind.VARIABLE && input != null) {
      inputs.set(value.name.value, input);
    }
  };
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Argument: ({ value }) => {
        note(value, typeInfo.getArgument());
      },
      ObjectField: ({ name, value }) => {
        const parent = getNamedType(typeInfo.getParentInputType());
        note(value, isInputObjectType(parent) ? parent.getFields()[name.value] : undefined);
      },
    }),
  );
  return inputs;
}
