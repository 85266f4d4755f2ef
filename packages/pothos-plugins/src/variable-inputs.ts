import {
  getNamedType,
  isInputObjectType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLSchema,
  type ValueNode,
} from 'graphql';
import type { Input } from './input-faults.ts';

/** The argument or input field that each variable of a document is given for. */
export function inputsByVariable(
  schema: GraphQLSchema,
  document: DocumentNode,
): Map<string, Input> {
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
