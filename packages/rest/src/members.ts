import {
  getNamedType,
  GraphQLID,
  isInputObjectType,
  isObjectType,
  isScalarType,
  Kind,
  type DocumentNode,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLType,
  type SelectionSetNode,
} from 'graphql';
import {
  int64,
  type NamedDeprecation,
  type ValueFacts,
  type InputRule,
} from '@store-gateway/graphql';
import { toInt64, type JsonObject } from '@store-gateway/ops';

/** A field, an argument or an input field. */
export interface Value {
  readonly name: string;
  readonly type: GraphQLType;
  readonly description?: string | null | undefined;
  readonly defaultValue?: unknown;
  /** Undefined for a field that is a plain property of its object. */
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
  /** The members of its value, or of each item if the value is a list. */
  readonly members: readonly Member[];
}

/** The members of a body with this input type. */
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

/** The members of a type that a valid document selects, including those in fragments. */
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

/** The JSON Schema of an ID, or of the items of a list of IDs: its own, its rule's, or by default that of a 64-bit integer. */
function idSchema({ jsonSchema, rule }: Value['extensions']): JsonObject {
  return jsonSchema ?? rule?.jsonSchema ?? int64.jsonSchema;
}

/** Whether an ID is a string in JSON. */
export function isTextId(extensions: Value['extensions']): boolean {
  return idSchema(extensions)['type'] === 'string';
}

/** Whether a type's values are integers of any size in JSON: IDs that aren't strings, and 64-bit scalars. */
export function isIntegerId(type: GraphQLType, extensions: Value['extensions']): boolean {
  return isInt64(type) || (String(type) === GraphQLID.name && !isTextId(extensions));
}

/** Longer texts may be an API key or an access token in the wrong place. */
const TEXT_ID = /^[\w-]{1,40}$/;

/** Whether a value may be an ID with these extensions, rather than a secret. */
export function mayBeId(value: unknown, extensions: Value['extensions']): boolean {
  return (
    typeof value === 'string' &&
    (isTextId(extensions) ? TEXT_ID.test(value) : toInt64(value) !== undefined)
  );
}

/** Whether a type is a 64-bit integer scalar: a string in GraphQL, and an integer in REST. */
function isInt64(type: GraphQLType): boolean {
  return isScalarType(type) && type.extensions.jsonSchema?.['format'] === 'int64';
}
