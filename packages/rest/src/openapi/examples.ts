import {
  getNamedType,
  getNullableType,
  GraphQLBoolean,
  GraphQLID,
  isEnumType,
  isListType,
  isObjectType,
  isRequiredInputField,
  isScalarType,
  type GraphQLNamedType,
  type GraphQLType,
} from 'graphql';
import { StartupFailure, type Json } from '@store-gateway/ops';
import type { References } from '@store-gateway/graphql';
import { inputMembers, type Member, type Value } from '../members.ts';
import { restNamesOf } from '../rest-names.ts';

export const EXAMPLE_ID = 42;

/** The ETag of an empty list. */
export const EXAMPLE_ETAG = '"2-l9Fw4VUO7kr8CvBlt4zaMCqXZ0w"';

/**
 * Returns an example of a value: its own, that of the resource's field of the same name, its default, or one for its type.
 *
 * @throws StartupFailure if there is none
 */
export function exampleOf(value: Value, resource: GraphQLNamedType): Json {
  const same = isObjectType(resource) ? resource.getFields()[value.name] : undefined;
  const example = [
    value.extensions.example,
    same?.extensions.example,
    plainDefault(value),
    exampleOfType(value.type),
  ].find((candidate) => candidate !== undefined);
  if (example === undefined) {
    throw new StartupFailure(`OpenAPI: ${value.name} needs the option example`);
  }
  return example;
}

/**
 * Returns an example of a body that works unchanged. It omits optional members that are deprecated, or that refer to another
 * resource, because the store may not have one.
 */
export function bodyExample(field: Value, resource: GraphQLNamedType): Json {
  const members = inputMembers(field.type).filter(
    (member) =>
      isRequiredInputField(member.field) ||
      (member.field.extensions.deprecation === undefined &&
        !(member.key in referencesOf(resource))),
  );
  return memberExample({ field, members }, resource);
}

/** Returns an example of an object or a list, from examples of its members, or an example of a plain value. */
export function memberExample(
  { field, members }: Omit<Member, 'key'>,
  resource: GraphQLNamedType,
): Json {
  if (members.length === 0) {
    return exampleOf(field, resource);
  }
  const type = getNamedType(field.type);
  const example = Object.fromEntries(
    members.map((member) => [
      member.key,
      memberExample(member, isObjectType(type) ? type : resource),
    ]),
  );
  return inListOf(field.type, example);
}

/**
 * Returns a default value that JSON can represent unchanged, with REST's name for an enum value; undefined if there is none.
 */
export function plainDefault({ type, defaultValue }: Value): string | number | boolean | undefined {
  const value =
    typeof defaultValue === 'string'
      ? (restNamesOf(type)?.get(defaultValue) ?? defaultValue)
      : defaultValue;
  const isPlain =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isPlain ? value : undefined;
}

/** Wraps an example in a list if the type is one. */
function inListOf(type: GraphQLType, example: Json): Json {
  return isListType(getNullableType(type)) ? [example] : example;
}

function exampleOfType(type: GraphQLType): Json | undefined {
  const example = exampleOfNamed(getNamedType(type));
  return example === undefined ? undefined : inListOf(type, example);
}

function exampleOfNamed(type: GraphQLNamedType): Json | undefined {
  if (isEnumType(type)) {
    const values = type.getValues();
    const current = values.find(({ extensions }) => extensions.deprecation === undefined);
    const example = current ?? values[0];
    return example?.extensions.restName ?? example?.name;
  }
  if (type === GraphQLBoolean) {
    return true;
  }
  return type.name === GraphQLID.name
    ? EXAMPLE_ID
    : isScalarType(type)
      ? type.extensions.example
      : undefined;
}

/** The foreign keys of a resource. */
export function referencesOf(resource: GraphQLNamedType): References {
  return (isObjectType(resource) && resource.extensions.references) || {};
}
