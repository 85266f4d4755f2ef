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
import type { NamedDeprecation, ValueFacts, InputRule } from '@store-gateway/graphql';

/** A field, an argument or an input field. */
export interface Value {
  readonly name: string;
  readonly type: GraphQLType;
  readonly description?: string | null | undefined;
  readonly defaultValue?: unknown;
  /** Of a field that is a plain property of its object there is none. */
  readonly resolve?: unknown;
  readonly extensions: ValueFacts & {
    readonly rule?: InputRule | undefined;
    readonly isVersion?: boolean | undefined;
    readonly maxItems?: number | undefined;
    readonly notNull?: boolean | undefined;
    readonly shared?: boolean | undefined;
    readonly deprecation?: NamedDeprecation | undefined;
  };
}

/** A member of a JSON object. */
export interface Member<Field extends Value = Value> {
  readonly key: string;
  readonly field: Field;
  /** The members of its object, or of each object of its list. */
  readonly members: readonly Member[];
}

/** The members of a body, by its input type. */
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

/** The members that a valid document selects of a type, fragments included. */
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
      throw new Error(`A REST route can't select ${name} of ${type.name}`);
    }
    const members = selectedMembers(document, getNamedType(field.type), selection.selectionSet);
    return [{ key: selection.alias?.value ?? name, field, members }];
  });
}
