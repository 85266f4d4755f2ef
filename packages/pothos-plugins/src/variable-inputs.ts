import {
  getNamedType,
  isInputObjectType,
  isNonNullType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLSchema,
  type ValueNode,
} from 'graphql';
import type { Input } from './input-faults.ts';

/** An argument or input field, and where it is: the argument's name, and those of the input fields down to it. */
export type PlacedInput = Input & { readonly path: readonly string[] };

/** The argument or input field that each variable of a document is given for: of several, one that takes no null. */
export function inputsByVariable(
  schema: GraphQLSchema,
  document: DocumentNode,
): Map<string, PlacedInput> {
  const inputs = new Map<string, PlacedInput>();
  const typeInfo = new TypeInfo(schema);
  const path: string[] = [];
  const note = (value: ValueNode, input: Input | null | undefined): void => {
    if (value.kind !== Kind.VARIABLE || input == null) {
      return;
    }
    const other = inputs.get(value.name.value);
    if (other === undefined || !isNonNullType(other.type)) {
      inputs.set(value.name.value, { ...input, path: [...path] });
    }
  };
  const leave = (): void => {
    path.pop();
  };
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Argument: {
        enter: ({ name, value }) => {
          path.push(name.value);
          note(value, typeInfo.getArgument());
        },
        leave,
      },
      ObjectField: {
        enter: ({ name, value }) => {
          path.push(name.value);
          const parent = getNamedType(typeInfo.getParentInputType());
          note(value, isInputObjectType(parent) ? parent.getFields()[name.value] : undefined);
        },
        leave,
      },
    }),
  );
  return inputs;
}
