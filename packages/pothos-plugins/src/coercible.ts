import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
} from 'graphql';
import { isJsonObject } from '@gateway/exact-json/json';

/**
 * Whether a value can be coerced to a type. It stops at the first fault and words none: graphql-js and graphql-jit make an
 * error of each, most of which print the whole value, so that a list of 10,000 faults would take seconds.
 */
export function isCoercible(value: unknown, type: GraphQLInputType): boolean {
  if (value === undefined || value === null) {
    return !isNonNullType(type);
  }
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const itemType: GraphQLInputType = nullable.ofType;
    return Array.isArray(value)
      ? value.every((item) => isCoercible(item ?? null, itemType))
      : isCoercible(value, itemType);
  }
  if (isInputObjectType(nullable)) {
    // graphql-js takes an array for an object whose members are all unknown.
    return isJsonObject(value) && areCoercible(value, nullable);
  }
  return coercedLeaf(value, nullable) !== undefined;
}

/** The value of a scalar or an enum; undefined for one that it doesn't take. */
export function coercedLeaf(value: unknown, type: GraphQLScalarType | GraphQLEnumType): unknown {
  if (typeof value === 'object' && (isSpecifiedScalarType(type) || isEnumType(type))) {
    // Its error would print the object.
    return undefined;
  }
  try {
    return type.parseValue(value);
  } catch {
    return undefined;
  }
}

function areCoercible(value: Record<string, unknown>, type: GraphQLInputObjectType): boolean {
  const fields = type.getFields();
  const names = Object.keys(value);
  return (
    (!type.isOneOf || (names.length === 1 && Object.values(value)[0] !== null)) &&
    names.every((name) => Object.hasOwn(fields, name)) &&
    Object.values(fields).every(
      (field) =>
        (value[field.name] === undefined && field.defaultValue !== undefined) ||
        isCoercible(value[field.name], field.type),
    )
  );
}
