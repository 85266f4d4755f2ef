import {
  type DocumentNode,
  getNamedType,
  getNullableType,
  GraphQLBoolean,
  type GraphQLError,
  type GraphQLField,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputField,
  GraphQLInt,
  type GraphQLNamedType,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import {
  expectationOf,
  type Input,
  inputError,
  type InputFault,
  type InputPath,
  type InputRule,
  int64,
  type NamedDeprecation,
  type PlacedInput,
  type ValueFacts,
} from '@store-gateway/graphql';
import { isJsonObject, type JsonObject, toInt64 } from '@store-gateway/ops';

/** A field, an argument or an input field. */
export interface Value {
  readonly name: string;
  readonly type: GraphQLType;
  readonly description?: string | null | undefined;
  readonly defaultValue?: unknown;
  /** Undefined for a field that is a plain property of its object. */
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
  /** The members of the value or, if the value is a list, of each item. */
  readonly members: readonly Member[];
}

/** Returns the members of a body with this input type. */
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

/** Returns the members of a type that a valid document selects, including those in fragments. */
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
      throw new Error(`A REST route can't select ${type.name}.${name}`);
    }
    const members = selectedMembers(document, getNamedType(field.type), selection.selectionSet);
    return [{ key: selection.alias?.value ?? name, field, members }];
  });
}

/**
 * Returns the JSON Schema of an ID, or of the items of a list of IDs: its own, or its rule's. Defaults to that of a 64-bit
 * integer.
 */
function idSchema({ jsonSchema, rule }: Value['extensions']): JsonObject {
  return jsonSchema ?? rule?.jsonSchema ?? int64.jsonSchema;
}

/** Whether an ID is a string in JSON. */
export function isTextId(extensions: Value['extensions']): boolean {
  return idSchema(extensions)['type'] === 'string';
}

/** Whether a type's values are integers of up to 64 bits in JSON: IDs that aren't strings, and 64-bit scalars. */
export function isIntegerId(type: GraphQLType, extensions: Value['extensions']): boolean {
  return isInt64(type) || (String(type) === GraphQLID.name && !isTextId(extensions));
}

/** Matches a text that may be an id. A longer text may be an API key or an access token in the wrong place. */
const TEXT_ID = /^[\w-]{1,40}$/;

/** Whether a value may be an ID with these extensions, rather than a secret. */
export function mayBeId(value: unknown, extensions: Value['extensions']): boolean {
  return (
    typeof value === 'string' &&
    (isTextId(extensions) ? TEXT_ID.test(value) : toInt64(value) !== undefined)
  );
}

/** Whether a type is a 64-bit integer scalar: a string in GraphQL, and an integer in REST. */
function isInt64(type: GraphQLType): boolean {
  return isScalarType(type) && type.extensions.jsonSchema?.['format'] === 'int64';
}

/** Returns REST's names for the values of an enum; undefined if they all equal the schema's. */
export function restNamesOf(type: GraphQLType): ReadonlyMap<string, string> | undefined {
  const named = getNamedType(type);
  const values = isEnumType(named) ? named.getValues() : [];
  return values.some(({ extensions }) => extensions.restName !== undefined)
    ? new Map(values.map(({ name, extensions }) => [name, extensions.restName ?? name]))
    : undefined;
}

/** Replaces the schema's names with REST's in a sentence about an input's values. */
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
 * Rewrites an error about inputs with REST's names for parameters and enum values. For an integer that was sent as a string, the
 * error asks for a JSON number.
 *
 * @param json the body as sent, by the name of its variable
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

/** Returns the input at the end of a path. Items of a list count as the same input as the list. */
function inputAt(input: Input, path: InputPath): Input | undefined {
  return path.reduce<Input | undefined>((found, step) => {
    const type = found && getNamedType(found.type);
    return typeof step === 'number' || !isInputObjectType(type) ? found : type.getFields()[step];
  }, input);
}

/** A variable's name, and the input that the variable is passed to. */
export type Variable = readonly [name: string, input: PlacedInput];

/** An operation's variables, by the part of a request that contains them. */
export interface Variables {
  readonly path: readonly Variable[];
  readonly query: readonly Variable[];
  /** The names of the variables in the query. */
  readonly queryNames: ReadonlySet<string>;
  readonly body: Variable | undefined;
  /** The variable for the row versions in If-Match. */
  readonly precondition: Variable | undefined;
}

/**
 * Assigns each variable to a part of the request. A variable that the path names is a path parameter, one with an input type is
 * the body, one for a precondition is If-Match, and all others are query parameters.
 */
export function variablesOf(inputs: ReadonlyMap<string, PlacedInput>, path: string): Variables {
  const placeOf = ([name, { type, extensions }]: Variable) => {
    if (path.split('/').includes(`:${name}`)) {
      return 'path';
    }
    if (extensions.isPrecondition === true) {
      return 'precondition';
    }
    return isInputObjectType(getNullableType(type)) ? 'body' : 'query';
  };
  const { path: inPath = [], query = [], body, precondition } = Object.groupBy(inputs, placeOf);
  const queryNames = new Set(query.map(([name]) => name));
  return { path: inPath, query, queryNames, body: body?.[0], precondition: precondition?.[0] };
}

/** Whether an operation requires a variable. */
export function isRequired(variable: Variable | undefined): boolean {
  return (
    variable !== undefined &&
    isNonNullType(variable[1].type) &&
    variable[1].defaultValue === undefined
  );
}

/** Values by variable name. */
type Values = Record<string, unknown>;
type Read = (sent: unknown) => unknown;

/**
 * Returns a function that reads an operation's variables from a request. Only the schema validates them, so unreadable values are
 * passed on in a form that it rejects.
 */
export function createReader({ path, query, body }: Pick<Variables, 'path' | 'query' | 'body'>) {
  const readPath = membersReader(path.map(([name, { type }]) => [name, textReader(type)]));
  const readQuery = membersReader(query.map(([name, { type }]) => [name, textReader(type)]));
  const readBody = membersReader(body ? [[body[0], jsonReader(body[1])]] : []);
  return (sent: { path: Values; query: Values; body: Values }): Values => {
    const values = readQuery(sent.query, readPath(sent.path));
    return body === undefined ? values : readBody({ [body[0]]: sent.body }, values);
  };
}

/** Reads members. A member that wasn't sent is omitted, because GraphQL would treat an undefined member as null. */
function membersReader(readers: readonly (readonly [name: string, read: Read])[]) {
  return (sent: Values, values: Values = {}): Values => {
    for (const [name, read] of readers) {
      const value = read(sent[name]);
      if (value !== undefined) {
        values[name] = value;
      }
    }
    return values;
  };
}

const asSent: Read = (sent) => sent;

/**
 * Reads values of a type from text. A value that isn't text of that type, such as an empty or repeated one, stays unchanged, so
 * that the type rejects it. Items of a list are separated by commas or repeated.
 */
function textReader(type: GraphQLType): Read {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const read = textReader(nullable.ofType);
    const readItems = (text: unknown): unknown =>
      typeof text === 'string' ? text.split(',').map(read) : read(text);
    return (sent) => (Array.isArray(sent) ? sent.flatMap(readItems) : readItems(sent));
  }
  switch (String(nullable)) {
    case GraphQLInt.name:
      return (sent) => {
        const integer = typeof sent === 'string' ? toInt64(sent) : undefined;
        return integer === undefined ? sent : Number(integer);
      };
    case GraphQLFloat.name:
      return (sent) =>
        typeof sent === 'string' && /^-?\d+(?:\.\d+)?$/.test(sent) ? Number(sent) : sent;
    case GraphQLBoolean.name:
      return (sent) => sent === 'true' || (sent === 'false' ? false : sent);
    default:
      return enumReader(nullable) ?? asSent;
  }
}

/** Reads an enum's values by their names in REST. If the enum has such names, the schema's names are rejected. */
function enumReader(type: GraphQLType): Read | undefined {
  const names = restNamesOf(type);
  const byRestName = new Map([...(names ?? [])].map(([name, restName]) => [restName, name]));
  return (
    names && ((sent) => (typeof sent === 'string' ? (byRestName.get(sent) ?? Number.NaN) : sent))
  );
}

function jsonReader({ type, extensions }: Pick<Input, 'type' | 'extensions'>): Read {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const read = jsonReader({ type: nullable.ofType, extensions });
    return (sent) => (Array.isArray(sent) ? sent.map(read) : sent);
  }
  if (isInputObjectType(nullable)) {
    const fields = Object.values(nullable.getFields());
    const read = membersReader(fields.map((field) => [field.name, jsonReader(field)]));
    return (sent) => (isJsonObject(sent) ? read(sent) : sent);
  }
  if (isIntegerId(nullable, extensions)) {
    return readId;
  }
  return String(nullable) === GraphQLID.name ? readTextId : (enumReader(nullable) ?? asSent);
}

/**
 * Reads an integer ID. The contract doesn't accept a string of digits, although GraphQL would, so everything except integers and
 * null becomes NaN, which GraphQL rejects.
 */
function readId(sent: unknown): unknown {
  if (sent == null || typeof sent === 'bigint') {
    return sent;
  }
  return typeof sent === 'number' && Number.isInteger(sent) ? String(sent) : Number.NaN;
}

/** Reads a text ID. Only strings are accepted, because GraphQL would convert an integer to its digits. */
function readTextId(sent: unknown): unknown {
  return sent == null || typeof sent === 'string' ? sent : Number.NaN;
}
