import {
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLSchema,
  type ValueNode,
} from 'graphql';
import type { Input, InputPath } from './input-faults.ts';

/** An argument or input field, or an item of one, and where it is. */
export type PlacedInput = Input & { readonly path: InputPath };

/** The input that each variable of a document is given for: of several, one that takes no null. */
export function inputsByVariable(
  schema: GraphQLSchema,
  document: DocumentNode,
): Map<string, PlacedInput> {
  const inputs = new Map<string, PlacedInput>();
  const typeInfo = new TypeInfo(schema);

  function addVariables(value: ValueNode, input: Input | null | undefined, path: InputPath): void {
    if (input == null) {
      return;
    }
    const type = getNullableType(input.type);
    if (value.kind === Kind.VARIABLE) {
      const other = inputs.get(value.name.value);
      if (other === undefined || !isNonNullType(other.type)) {
        inputs.set(value.name.value, { ...input, path });
      }
    } else if (value.kind === Kind.LIST && isListType(type)) {
      for (const [index, item] of value.values.entries()) {
        addVariables(item, { ...input, type: type.ofType }, [...path, index]);
      }
    } else if (isListType(type)) {
      addVariables(value, { ...input, type: type.ofType }, path);
    } else if (value.kind === Kind.OBJECT && isInputObjectType(type)) {
      const fields = type.getFields();
      for (const { name, value: member } of value.fields) {
        addVariables(member, fields[name.value], [...path, name.value]);
      }
    }
  }

  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Argument: ({ name, value }) => {
        addVariables(value, typeInfo.getArgument(), [name.value]);
      },
    }),
  );
  return inputs;
}
