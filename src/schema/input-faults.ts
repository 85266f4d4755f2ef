import {
  coerceInputValue,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
} from 'graphql';
import { isJsonObject } from '../json.ts';
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
  readonly extensions: { readonly rule?: InputRule | undefined };
};

/**
 * Everything that is wrong with a value given for an input, in a client's words: "limit must be an
 * integer between 1 and 100". Empty if nothing is.
 */
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
  const type = getNullableType(input.type);
  if (input.extensions.rule !== undefined) {
    return input.extensions.rule.expected;
  }
  if (isEnumType(type)) {
    return `one of ${type
      .getValues()
      .map(({ name }) => name)
      .join(', ')}`;
  }
  return isInputObjectType(type)
    ? `an object with ${Object.keys(type.getFields()).join(', ')}`
    : `a value of type ${String(type)}`;
}
