import {
  getNamedType,
  GraphQLInt,
  isEnumType,
  isInputObjectType,
  type GraphQLError,
  type GraphQLType,
} from 'graphql';
import { toInt64, isJsonObject } from '@store-gateway/ops';
import {
  expectationOf,
  type Input,
  inputError,
  type InputFault,
  type InputPath,
  type PlacedInput,
} from '@store-gateway/graphql';
import { isIntegerId } from './members.ts';

/** REST's names for the values of an enum; undefined if none of them differs from the schema's. */
export function restNamesOf(type: GraphQLType): ReadonlyMap<string, string> | undefined {
  const named = getNamedType(type);
  const values = isEnumType(named) ? named.getValues() : [];
  return values.some(({ extensions }) => extensions.restName !== undefined)
    ? new Map(values.map(({ name, extensions }) => [name, extensions.restName ?? name]))
    : undefined;
}

/** Puts REST's names into a sentence about an input's values. */
export function inRestNames(sentence: string, { name, type, defaultValue, extensions }: Input) {
  const names = restNamesOf(type);
  if (names === undefined) {
    return sentence;
  }
  const sequences = extensions.sequences?.map((sequence) =>
    sequence.map((value) => names.get(value)),
  );
  const ofItem = { name, type: getNamedType(type), defaultValue, extensions };
  return sentence.replace(
    expectationOf(ofItem),
    () => sequences?.map(String).join(' or ') ?? `one of ${[...names.values()].join(', ')}`,
  );
}

/**
 * Rewrites an error about inputs with REST's names of parameters and enum values. For an integer sent as a string, it asks for
 * a JSON number.
 *
 * @param json the body, by the name of its variable
 */
export function errorInRestNames(
  error: GraphQLError,
  variables: ReadonlyMap<string, PlacedInput>,
  json: Readonly<Record<string, unknown>> = {},
): GraphQLError {
  const { faults, code } = error.extensions;
  const renamed = faults?.map((fault) => renamedFault(fault, variables, json));
  const isSame =
    renamed === undefined || renamed.every((fault, index) => fault === faults?.[index]);
  return isSame || code !== 'BAD_USER_INPUT' ? error : inputError(renamed);
}

function renamedFault(
  fault: InputFault,
  variables: ReadonlyMap<string, PlacedInput>,
  json: Readonly<Record<string, unknown>>,
): InputFault {
  const { path, message } = fault;
  for (const [variable, input] of variables) {
    if (input.path.every((step, index) => step === path[index])) {
      const below = path.slice(input.path.length);
      const found = inputAt(input, below);
      const isOfVariable = found === input && variable !== input.name;
      if (
        found !== undefined &&
        isInteger(found) &&
        isIntegerText(valueAt(json[variable], below))
      ) {
        return { path, message: `${message}, as a JSON number` };
      }
      if (found === undefined || (restNamesOf(found.type) === undefined && !isOfVariable)) {
        continue;
      }
      const renamed = inRestNames(message, found);
      return isOfVariable
        ? { path: [variable, ...below], message: renamed.replace(input.name, variable) }
        : { path, message: renamed };
    }
  }
  return fault;
}

/** Whether an input is an integer in REST's JSON. */
function isInteger({ type, extensions }: Input): boolean {
  const named = getNamedType(type);
  return named === GraphQLInt || isIntegerId(named, extensions);
}

function isIntegerText(value: unknown): boolean {
  return typeof value === 'string' && toInt64(value) !== undefined;
}

function valueAt(json: unknown, path: InputPath): unknown {
  return path.reduce(
    (value, step) =>
      Array.isArray(value) || isJsonObject(value) ? Reflect.get(value, step) : undefined,
    json,
  );
}

/** The input at the end of a path. Items of a list are the same input as the list. */
function inputAt(input: Input, path: InputPath): Input | undefined {
  return path.reduce<Input | undefined>((found, step) => {
    const type = found && getNamedType(found.type);
    return typeof step === 'number' || !isInputObjectType(type) ? found : type.getFields()[step];
  }, input);
}
