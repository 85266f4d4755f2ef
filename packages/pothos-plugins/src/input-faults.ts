import {
  coerceInputValue,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLError,
  type GraphQLInputField,
  type GraphQLInputObjectType,
} from 'graphql';
import { codedError, type ErrorCode } from '@gateway/errors/coded-error';
import { isJsonObject } from '@gateway/exact-json/json';
import { expectationOf } from './input-expectation.ts';
import type { InputRule } from './input-rules.ts';

declare module 'graphql' {
  interface GraphQLArgumentExtensions {
    rule?: InputRule | undefined;
  }
  interface GraphQLInputFieldExtensions {
    rule?: InputRule | undefined;
  }
  interface GraphQLErrorExtensions {
    faults?: readonly InputFault[];
  }
}

/** An argument, an input field, or a variable in the place of one. */
export type Input = Pick<GraphQLArgument | GraphQLInputField, 'name' | 'type' | 'defaultValue'> & {
  readonly description?: string | null | undefined;
  readonly extensions: { readonly rule?: InputRule | undefined };
};

/** An argument, and the input fields and indexes of lists below it. */
export type InputPath = readonly (string | number)[];

/** What is wrong with one input: "limit must be an integer between 1 and 100". */
export interface InputFault {
  readonly path: InputPath;
  readonly message: string;
}

/** As many are told of one request: a client may send any number of fields that don't exist. */
const MAX_FAULTS = 20;

/** An error with the messages of the first faults joined, and each of them in `extensions.faults` for forms. */
export function inputError(
  faults: readonly InputFault[],
  code: ErrorCode = 'BAD_USER_INPUT',
): GraphQLError {
  const told = faults.slice(0, MAX_FAULTS);
  const error = codedError(code, told.map(({ message }) => message).join('; '));
  error.extensions.faults = told;
  return error;
}

/**
 * All faults of a value for an input, none if it is valid.
 *
 * @param path of the input, if that isn't its name
 */
export function inputFaults(
  input: Input,
  value: unknown,
  path: InputPath = [input.name],
): InputFault[] {
  const type = getNullableType(input.type);
  if (value === undefined || value === null) {
    const missing =
      isNonNullType(input.type) && !(value === undefined && input.defaultValue !== undefined);
    return missing ? [{ path, message: `${input.name} must be ${expectationOf(input)}` }] : [];
  }
  if (isListType(type)) {
    const item = { ...input, type: type.ofType };
    const items: unknown[] | undefined = Array.isArray(value) ? value : undefined;
    return (
      items?.flatMap((each, index) => inputFaults(item, each, [...path, index])) ??
      inputFaults(item, value, path)
    );
  }
  if (isInputObjectType(type) && isJsonObject(value)) {
    return memberFaults(type, value, path);
  }
  let fits = true;
  const coerced: unknown = coerceInputValue(value, type, () => {
    fits = false;
  });
  fits &&= input.extensions.rule?.accepts(coerced) ?? true;
  return fits ? [] : [{ path, message: `${input.name} must be ${expectationOf(input)}` }];
}

function memberFaults(
  type: GraphQLInputObjectType,
  value: Record<string, unknown>,
  path: InputPath,
): InputFault[] {
  const fields = type.getFields();
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
  return [
    ...Object.values(fields).flatMap((field) =>
      inputFaults(field, value[field.name], [...path, field.name]),
    ),
    ...unknown.map((name) => ({
      path: [...path, name],
      message: `${name} is not a field of ${type.name}`,
    })),
  ];
}
