import {
  getNullableType,
  GRAPHQL_MAX_INT,
  GRAPHQL_MIN_INT,
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  isEnumType,
  isInputObjectType,
  isScalarType,
  type GraphQLInputType,
} from 'graphql';
import type { Input } from './input.ts';

/** What an input accepts, in words that end "NAME must be …". */
export function expectationOf(input: Input): string {
  const { rule } = input.extensions;
  return rule === undefined ? typeInWords(getNullableType(input.type)) : rule.expected;
}

/** What a type accepts, in words for REST's clients, too. */
function typeInWords(type: GraphQLInputType): string {
  if (isEnumType(type)) {
    const names = type.getValues().map(({ name }) => name);
    return `one of ${names.join(', ')}`;
  }
  if (isInputObjectType(type)) {
    return `an object with ${Object.keys(type.getFields()).join(', ')}`;
  }
  switch (type) {
    case GraphQLID:
      return 'a string or an integer';
    case GraphQLString:
      return 'a string';
    case GraphQLBoolean:
      return 'true or false';
    case GraphQLFloat:
      return 'a number';
    case GraphQLInt:
      return `an integer between ${GRAPHQL_MIN_INT} and ${GRAPHQL_MAX_INT}`;
    default:
      return isScalarType(type) && type.extensions.expected !== undefined
        ? type.extensions.expected
        : `a value of type ${String(type)}`;
  }
}
