import { isJsonObject, isStorableText, toInt64 } from '@store-gateway/ops';
import {
  type DocumentNode,
  getNullableType,
  GRAPHQL_MAX_INT,
  GRAPHQL_MIN_INT,
  type GraphQLArgument,
  type GraphQLArgumentExtensions,
  type GraphQLEnumType,
  type GraphQLError,
  type GraphQLInputField,
  type GraphQLInputFieldExtensions,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { codedError, type ErrorCode } from '@store-gateway/ops/errors';

/** A rule for the values of an argument or input field, in addition to their type. */
export interface InputRule {
  /** Completes the sentence "NAME must be …", even for a value of the wrong type. */
  readonly expected: string;
  /** Whether a value of the right type satisfies the rule. */
  accepts(value: unknown): boolean;
  /** The JSON Schema of the value in REST. */
  readonly jsonSchema: Readonly<Record<string, string | number>>;
}

/** Requires an ID that is a 64-bit integer. It stays a string. */
export const int64: InputRule = {
  expected: `an integer between ${-(2n ** 63n)} and ${2n ** 63n - 1n}`,
  accepts: (value) => typeof value === 'string' && toInt64(value) !== undefined,
  // The format implies the bounds, which most JSON parsers would round.
  jsonSchema: { type: 'integer', format: 'int64' },
};

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Requires an ID that is a UUID (RFC 9562), of any version. */
export const uuid: InputRule = {
  expected: 'a UUID such as 0194f3c2-7c1e-4b6a-9d52-3f8a6c0e1b47',
  accepts: (value) => typeof value === 'string' && UUID.test(value),
  jsonSchema: { type: 'string', format: 'uuid' },
};

/** Requires an integer between a minimum and a maximum, both inclusive. */
export function integerBetween(minimum: number, maximum: number): InputRule {
  return {
    expected: `an integer between ${minimum} and ${maximum}`,
    accepts: (value) => typeof value === 'number' && value >= minimum && value <= maximum,
    jsonSchema: { type: 'integer', minimum, maximum },
  };
}

/** Requires text that PostgreSQL can store, without NUL or unpaired surrogates. The length is counted in code points. */
export function text(minimum: number, maximum: number): InputRule {
  return {
    expected: `a string of ${minimum} to ${maximum} characters, without NUL or unpaired surrogates`,
    accepts: (value) => {
      if (typeof value !== 'string' || !isStorableText(value)) {
        return false;
      }
      const length = Array.from(value).length;
      return length >= minimum && length <= maximum;
    },
    // Uses \x, because not every dialect of regular expressions supports \u.
    jsonSchema: {
      type: 'string',
      minLength: minimum,
      maxLength: maximum,
      pattern: String.raw`^[^\x00]*$`,
    },
  };
}

/**
 * Requires a Decimal that a column `@db.Decimal(precision, scale)` stores unchanged: `precision` digits, of which `scale` are
 * after the point.
 */
export function decimal(precision: number, scale: number): InputRule {
  const whole = precision - scale;
  const fraction = scale === 0 ? '' : String.raw`(\.\d{1,${scale}})?`;
  const pattern = `^-?${whole === 0 ? '0' : String.raw`\d{1,${whole}}`}${fraction}$`;
  const digits = new RegExp(pattern);
  return {
    expected: `a decimal number as a string, with at most ${whole} digits before the point and ${scale} after it`,
    accepts: (value) => typeof value === 'string' && digits.test(value),
    jsonSchema: { type: 'string', pattern },
  };
}

/** An argument, an input field, or a variable that is passed to one. */
export type Input = Pick<GraphQLArgument | GraphQLInputField, 'name' | 'type' | 'defaultValue'> & {
  readonly description?: string | null | undefined;
  readonly extensions: Readonly<GraphQLArgumentExtensions & GraphQLInputFieldExtensions>;
};

/** The end of the description of an input that may be omitted but not null, which GraphQL's types can't express. */
export const NOT_NULL = ' May be omitted, but not null.';

/** Describes what an input accepts, as the end of "NAME must be …". */
export function expectationOf({ extensions, type }: Input): string {
  const { rule, sequences } = extensions;
  return sequences === undefined
    ? (rule?.expected ?? formatType(getNullableType(type)))
    : inWords(sequences);
}

/** Formats lists of names for a sentence. */
export function inWords(sequences: readonly (readonly string[])[]): string {
  return sequences.map((names) => `[${names.join(', ')}]`).join(' or ');
}

const BUILT_IN_SCALARS: Readonly<Record<string, string>> = {
  ID: 'a string or an integer',
  String: 'a string',
  Boolean: 'true or false',
  Float: 'a number',
  Int: `an integer between ${GRAPHQL_MIN_INT} and ${GRAPHQL_MAX_INT}`,
};

/** Describes what a type accepts, in words that REST's clients understand, too. */
function formatType(type: GraphQLInputType): string {
  if (isEnumType(type)) {
    const names = type.getValues().map(({ name }) => name);
    return `one of ${names.join(', ')}`;
  }
  if (isInputObjectType(type)) {
    return `an object with ${Object.keys(type.getFields()).join(', ')}`;
  }
  const expected = isScalarType(type)
    ? (type.extensions.expected ?? BUILT_IN_SCALARS[type.name])
    : undefined;
  return expected ?? `a value of type ${String(type)}`;
}

declare module 'graphql' {
  interface GraphQLErrorExtensions {
    faults?: readonly InputFault[];
  }
}

/** The path of an input: an argument's name, followed by names of input fields and indexes of lists. */
export type InputPath = readonly (string | number)[];

/** A fault in one input: "limit must be an integer between 1 and 100". */
export interface InputFault {
  readonly path: InputPath;
  readonly message: string;
}

/** Maximum number of faults to find in one value. A client may send any number of items and unknown fields. */
const MAX_FAULTS = 20;

/** Maximum length of an unknown field's name in a message, because the response contains the name four times. */
const MAX_NAME_LENGTH = 100;

/** Creates an error whose message joins the messages of the first faults. `extensions.faults` lists each of them, for forms. */
export function inputError(
  faults: readonly InputFault[],
  code: ErrorCode = 'BAD_USER_INPUT',
): GraphQLError {
  const told = faults.slice(0, MAX_FAULTS);
  const error = codedError(code, told.map(({ message }) => message).join('; '));
  error.extensions.faults = told;
  return error;
}

/** Returns the faults of a field's coerced arguments; none if they satisfy their rules. Checking a list stops at 20 faults. */
export function argumentFaults(inputs: readonly Input[], args: object): readonly InputFault[] {
  const search: Search = { faults: [], accepts: isWithinRule };
  for (const input of inputs) {
    addFaults(search, input, Reflect.get(args, input.name), [input.name]);
  }
  return search.faults;
}

/**
 * Returns the first 20 faults of a value for an input; none if it is valid.
 *
 * @param path the input's path; by default, it consists of the input's name
 */
export function inputFaults(
  input: Input,
  value: unknown,
  path: InputPath = [input.name],
): InputFault[] {
  const search: Search = { faults: [], accepts: isWithinTypeAndRule };
  addFaults(search, input, value, path);
  return search.faults;
}

/**
 * Whether a value can be coerced to a type, regardless of its rules. graphql-js and graphql-jit create an error for each fault,
 * and most errors print the whole value, so a list with 10,000 faults would take seconds.
 */
export function isCoercible(value: unknown, type: GraphQLInputType): boolean {
  const search: Search = { faults: [], accepts: isOfType };
  addFaults(search, { name: '', type, defaultValue: undefined, extensions: {} }, value, []);
  return search.faults.length === 0;
}

interface Search {
  readonly faults: InputFault[];
  readonly accepts: (value: unknown, type: LeafType, rule: InputRule | undefined) => boolean;
}

type LeafType = GraphQLScalarType | GraphQLEnumType;

const isOfType: Search['accepts'] = (value, type) => coercedLeaf(value, type) !== undefined;

const isWithinRule: Search['accepts'] = (coerced, _type, rule) => rule?.accepts(coerced) !== false;

const isWithinTypeAndRule: Search['accepts'] = (value, type, rule) => {
  const coerced = coercedLeaf(value, type);
  return coerced !== undefined && isWithinRule(coerced, type, rule);
};

/** Returns the coerced value of a scalar or an enum; undefined if the type rejects it. */
function coercedLeaf(value: unknown, type: LeafType): unknown {
  if (typeof value === 'object' && (isSpecifiedScalarType(type) || isEnumType(type))) {
    // The type's error would print the object.
    return undefined;
  }
  try {
    return type.parseValue(value);
  } catch {
    return undefined;
  }
}

function addFaults(search: Search, input: Input, value: unknown, path: InputPath): void {
  const type = getNullableType(input.type);
  if (value === undefined || value === null) {
    const isNeeded = isNonNullType(input.type) && input.defaultValue === undefined;
    const isNeverNull = isNonNullType(input.type) || input.extensions.notNull === true;
    if (value === undefined ? isNeeded : isNeverNull) {
      addFault(search, input, path);
    }
  } else if (isListType(type)) {
    const item = { ...input, type: type.ofType };
    const { maxItems, sequences } = input.extensions;
    const faults = search.faults.length;
    if (maxItems !== undefined && Array.isArray(value) && !isWithin(value.length, maxItems)) {
      const message = `${input.name} must be a list of 1 to ${maxItems} items`;
      search.faults.push({ path, message });
    } else if (Array.isArray(value)) {
      addItemFaults(search, item, value, path);
    } else {
      addFaults(search, item, value, path);
    }
    const isUnknown = sequences !== undefined && !isOneOf(sequences, [value].flat());
    if (isUnknown && search.faults.length === faults) {
      addFault(search, input, path);
    }
  } else if (isInputObjectType(type)) {
    if (isJsonObject(value)) {
      addMemberFaults(search, type, value, path);
    } else {
      addFault(search, input, path);
    }
  } else if (!search.accepts(value, type, input.extensions.rule)) {
    addFault(search, input, path);
  }
}

function isOneOf(sequences: readonly (readonly string[])[], given: readonly unknown[]): boolean {
  return given.length === 0 || sequences.some((names) => names.join() === given.join());
}

function isWithin(length: number, maximum: number): boolean {
  return length >= 1 && length <= maximum;
}

function addFault(search: Search, input: Input, path: InputPath): void {
  search.faults.push({ path, message: `${input.name} must be ${expectationOf(input)}` });
}

function addItemFaults(
  search: Search,
  item: Input,
  items: readonly unknown[],
  path: InputPath,
): void {
  for (const [index, each] of items.entries()) {
    if (search.faults.length >= MAX_FAULTS) {
      return;
    }
    addFaults(search, item, each, [...path, index]);
  }
}

function addMemberFaults(
  search: Search,
  type: GraphQLInputObjectType,
  value: Record<string, unknown>,
  path: InputPath,
): void {
  const fields = type.getFields();
  for (const field of Object.values(fields)) {
    addFaults(search, field, value[field.name], [...path, field.name]);
  }
  for (const name of Object.keys(value)) {
    if (search.faults.length >= MAX_FAULTS) {
      return;
    }
    if (!Object.hasOwn(fields, name)) {
      const told = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
      search.faults.push({
        path: [...path, told],
        message: `${told} is not a field of ${type.name}`,
      });
    }
  }
}

/** An argument or input field, or an item of one, with its path. */
export type PlacedInput = Input & { readonly path: InputPath };

/**
 * Returns the input that each variable of a document is passed to. If a variable has several inputs, returns one that doesn't
 * accept null.
 */
export function inputsByVariable(
  schema: GraphQLSchema,
  document: DocumentNode,
): Map<string, PlacedInput> {
  const inputs = new Map<string, PlacedInput>();
  const typeInfo = new TypeInfo(schema);

  function addVariables(value: ValueNode, input: Input | null | undefined, path: InputPath): void {
    if (input == null) {
      return;
    }
    const type = getNullableType(input.type);
    if (value.kind === Kind.VARIABLE) {
      const other = inputs.get(value.name.value);
      if (other === undefined || !isNonNullType(other.type)) {
        inputs.set(value.name.value, { ...input, path });
      }
    } else if (value.kind === Kind.LIST && isListType(type)) {
      for (const [index, item] of value.values.entries()) {
        addVariables(item, { ...input, type: type.ofType }, [...path, index]);
      }
    } else if (isListType(type)) {
      addVariables(value, { ...input, type: type.ofType }, path);
    } else if (value.kind === Kind.OBJECT && isInputObjectType(type)) {
      const fields = type.getFields();
      for (const { name, value: member } of value.fields) {
        addVariables(member, fields[name.value], [...path, name.value]);
      }
    }
  }

  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Argument: ({ name, value }) => {
        addVariables(value, typeInfo.getArgument(), [name.value]);
      },
    }),
  );
  return inputs;
}
