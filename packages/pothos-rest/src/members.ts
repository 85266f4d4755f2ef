import {
  getNamedType,
  isInputObjectType,
  isObjectType,
  Kind,
  type DocumentNode,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLType,
  type SelectionSetNode,
} from 'graphql';
import type { ValueFacts } from '@gateway/pothos-plugins/resource';
import type { InputRule } from '@gateway/pothos-plugins/input-rules';

/** What a field, an argument and an input field have in common. */
export interface Value {
  readonly name: string;
  readonly type: GraphQLType;
  readonly description?: string | null | undefined;
  readonly defaultValue?: unknown;
  readonly extensions: ValueFacts & { readonly rule?: InputRule | undefined };
}

/** A member of a JSON object. */
export interface Member<Field extends Value = Value> {
  readonly key: string;
  readonly field: Field;
  /** Those of its object, or of each object of its list. */
  readonly members: readonly Member[];
}

/** The members of a body of an input type. */
export function inputMembers(type: GraphQLType | undefined): Member<GraphQLInputField>[] {
  const named = getNamedType(type);
  return isInputObjectType(named)
    ? Object.values(named.getFields()).map((field) => ({
        key: field.name,
        field,
        members: inputMembers(field.type),
      }))
    : [];
}

type OutputMember = Member<GraphQLField<unknown, unknown>>;

/** The members that a valid document selects of a type, with those of fragments in their places. */
export function selectedMembers(
  document: DocumentNode,
  type: GraphQLNamedType,
  { selections }: Pick<SelectionSetNode, 'selections'> = { selections: [] },
): OutputMember[] {
  return selections.flatMap((selection): OutputMember[] => {
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      return selectedMembers(document, type, selection.selectionSet);
    }
    const name = selection.name.value;
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = document.definitions
        .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
        .find((definition) => definition.name.value === name);
      return selectedMembers(document, type, fragment?.selectionSet);
    }
    const field = isObjectType(type) ? type.getFields()[name] : undefined;
    if (field === undefined) {
      throw new Error(`REST has no way to tell ${name} of ${type.name}`);
    }
    const members = selectedMembers(document, getNamedType(field.type), selection.selectionSet);
    return [{ key: selection.alias?.value ?? name, field, members }];
  });
}
