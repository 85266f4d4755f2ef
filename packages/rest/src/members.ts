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

/** The JSON Schema of an ID, or of the items of a list of them: that of its column, or of its rule, or a 64-bit integer's. */
function idSchema({ jsonSchema, rule }: Value['extensions']): JsonObject {
  return jsonSchema ?? rule?.jsonSchema ?? int64.jsonSchema;
}

/** Whether JSON has the ID as a string. */
export function isTextId(extensions: Value['extensions']): boolean {
  return idSchema(extensions)['type'] === 'string';
}

/** Whether JSON has values of a type as integers of any size: an ID, unless it is a text, or a scalar of 64 bits. */
export function isIntegerId(type: GraphQLType, extensions: Value['extensions']): boolean {
  return isInt64(type) || (String(type) === GraphQLID.name && !isTextId(extensions));
}

/** Longer ones may be an API key or an access token in the wrong place. */
const TEXT_ID = /^[\w-]{1,40}$/;

/** Whether a value may be an ID with these extensions, and not a secret. */
export function mayBeId(value: unknown, extensions: Value['extensions']): boolean {
  return (
    typeof value === 'string' &&
    (isTextId(extensions) ? TEXT_ID.test(value) : toInt64(value) !== undefined)
  );
}

/** Whether a scalar is an integer of 64 bits, whose text in GraphQL is an integer in REST. */
function isInt64(type: GraphQLType): boolean {
  return isScalarType(type) && type.extensions.jsonSchema?.['format'] === 'int64';
}
