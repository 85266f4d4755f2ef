import {
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLError,
  type GraphQLInputObjectType,
} from 'graphql';
import { codedError, type ErrorCode } from '@gateway/errors/coded-error';
import { isJsonObject } from '@gateway/exact-json/json';
import { coercedLeaf } from './coercible.ts';
import { expectationOf } from './input-expectation.ts';
import type { Input } from './input.ts';

declare module 'graphql' {
  interface GraphQLErrorExtensions {
    faults?: readonly InputFault[];
  }
}

/** An argument, and the input fields and indexes of lists below it. */
export type InputPath = readonly (string | number)[];

/** What is wrong with one input: "limit must be an integer between 1 and 100". */
export interface InputFault {
  readonly path: InputPath;
  readonly message: string;
}

/** As many are looked for in one value: a client may send any number of items and of fields that don't exist. */
const MAX_FAULTS = 20;

/** Characters of the name of an unknown field that are told: it comes four times in the response. */
const MAX_NAME_LENGTH = 100;

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

/** The faults of a field's arguments, none if they are valid. No list is looked into for more than 20. */
export function argumentFaults(inputs: readonly Input[], args: object): readonly InputFault[] {
  const faults: InputFault[] = [];
  for (const input of inputs) {
    addFaults(faults, input, Reflect.get(args, input.name), [input.name]);
  }
  return faults;
}

/**
 * The first 20 faults of a value for an input, none if it is valid.
 *
 * @param path of the input, if that isn't its name
 */
export function inputFaults(
  input: Input,
  value: unknown,
  path: InputPath = [input.name],
): InputFault[] {
  const faults: InputFault[] = [];
  addFaults(faults, input, value, path);
  return faults;
}

function addFaults(faults: InputFault[], input: Input, value: unknown, path: InputPath): void {
  const type = getNullableType(input.type);
  if (value === undefined || value === null) {
    if (isNonNullType(input.type) && !(value === undefined && input.defaultValue !== undefined)) {
      addFault(faults, input, path);
    }
  } else if (isListType(type)) {
    const item = { ...input, type: type.ofType };
    if (Array.isArray(value)) {
      addItemFaults(faults, item, value, path);
    } else {
      addFaults(faults, item, value, path);
    }
  } else if (isInputObjectType(type)) {
    if (isJsonObject(value)) {
      addMemberFaults(faults, type, value, path);
    } else {
      addFault(faults, input, path);
    }
  } else {
    const coerced = coercedLeaf(value, type);
    if (coerced === undefined || input.extensions.rule?.accepts(coerced) === false) {
      addFault(faults, input, path);
    }
  }
}

function addFault(faults: InputFault[], input: Input, path: InputPath): void {
  faults.push({ path, message: `${input.name} must be ${expectationOf(input)}` });
}

function addItemFaults(
  faults: InputFault[],
  item: Input,
  items: readonly unknown[],
  path: InputPath,
): void {
  for (const [index, each] of items.entries()) {
    if (faults.length >= MAX_FAULTS) {
      return;
    }
    addFaults(faults, item, each, [...path, index]);
  }
}

function addMemberFaults(
  faults: InputFault[],
  type: GraphQLInputObjectType,
  value: Record<string, unknown>,
  path: InputPath,
): void {
  const fields = type.getFields();
  for (const field of Object.values(fields)) {
    addFaults(faults, field, value[field.name], [...path, field.name]);
  }
  for (const name of Object.keys(value)) {
    if (faults.length >= MAX_FAULTS) {
      return;
    }
    if (!Object.hasOwn(fields, name)) {
      const told = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
      faults.push({ path: [...path, told], message: `${told} is not a field of ${type.name}` });
    }
  }
}
