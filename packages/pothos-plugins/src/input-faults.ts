import {
  coerceInputValue,
  getNullableType,
  GraphQLBoolean,
  GraphQLID,
  GraphQLString,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  isScalarType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
} from 'graphql';
import { isJsonObject } from '@gateway/exact-json/json';
import type { InputRule } from './input-rules.ts';

declare module 'graphql' {
  interface GraphQLArgumentExtensions {
    rule?: InputRule | undefined;
  }
  interface GraphQLInputFieldExtensions {
    rule?: InputRule | undefined;
  }
}

/** An argument, an input field, or a variable in the place of one. */
export type Input = Pick<GraphQLArgument | GraphQLInputField, 'name' | 'type' | 'defaultValue'> & {
  readonly description?: string | null | undefined;
  readonly extensions: { readonly rule?: InputRule | undefined };
};

/** All faults of a value for an input: "limit must be an integer between 1 and 100". Empty if it is valid. */
export function inputFaults(input: Input, value: unknown): string[] {
  const type = getNullableType(input.type);
  if (value === undefined || value === null) {
    const missing =
      isNonNullType(input.type) && !(value === undefined && input.defaultValue !== undefined);
    return missing ? [`${input.name} must be ${expectation(input)}`] : [];
  }
  if (isInputObjectType(type) && isJsonObject(value)) {
    return memberFaults(type, value);
  }
  let fits = true;
  const coerced: unknown = coerceInputValue(value, type, () => {
    fits = false;
  });
  fits &&= input.extensions.rule?.accepts(coerced) ?? true;
  return fits ? [] : [`${input.name} must be ${expectation(input)}`];
}

function memberFaults(type: GraphQLInputObjectType, value: Record<string, unknown>): string[] {
  const fields = type.getFields();
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
  return [
    ...Object.values(fields).flatMap((field) => inputFaults(field, value[field.name])),
    ...unknown.map((name) => `${name} is not a field of ${type.name}`),
  ];
}

function expectation(input: Input): string {
  const { rule } = input.extensions;
  return rule === undefined ? expectationOf(getNullableType(input.type)) : rule.expected;
}

/** What a type accepts, in words for REST's clients, too. */
function expectationOf(type: GraphQLInputType): string {
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
    default:
      return isScalarType(type) && type.extensions.expected !== undefined
        ? type.extensions.expected
        : `a value of type ${String(type)}`;
  }
}
