import {
  getOperationAST,
  isInputType,
  isNonNullType,
  separateOperations,
  typeFromAST,
  valueFromAST,
  type DocumentNode,
  type GraphQLSchema,
  type VariableDefinitionNode,
} from 'graphql';
import { inputFaults, type Input } from '@gateway/pothos-plugins/input-faults';
import { inputsByVariable } from '@gateway/pothos-plugins/variable-inputs';

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
