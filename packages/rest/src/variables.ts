import {
  getNullableType,
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLType,
} from 'graphql';
import { toInt64, isJsonObject } from '@store-gateway/ops';
import { type Input, type PlacedInput } from '@store-gateway/graphql';
import { isIntegerId } from './members.ts';
import type { Operation } from './operation.ts';
import { restNamesOf } from './rest-names.ts';

/** A variable, and the argument that it is given for. */
export type Variable = readonly [name: string, input: PlacedInput];

/** Where each of an operation's variables comes from. */
export interface Variables {
  readonly path: readonly Variable[];
  readonly query: readonly Variable[];
  /** The names of those in the query. */
  readonly queryNames: ReadonlySet<string>;
  readonly body: Variable | undefined;
  /** The versions that If-Match lets pass. */
  readonly precondition: Variable | undefined;
}

/**
 * A variable that the path names is a parameter of the path, one of an input type is the body, one for a precondition is
 * If-Match, others are in the query.
 */
export function variablesOf({ inputs }: Operation, path: string): Variables {
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

/** Whether an operation can't do without a variable. */
export function isRequired(variable: Variable | undefined): boolean {
  return (
    variable !== undefined &&
    isNonNullType(variable[1].type) &&
    variable[1].defaultValue === undefined
  );
}

/** Values by the names of variables. */
type Values = Record<string, unknown>;
type Read = (sent: unknown) => unknown;

/**
 * Reads an operation's variables from what a client sent. Only the schema judges them: what can't be read is passed on as
 * something that it rejects.
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

/** Members that were not sent are left out, because GraphQL takes an undefined one for null. */
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
 * What isn't a text of the type, such as an empty or a repeated one, stays as it is: the type rejects it. Items of a list have
 * commas between them, or are repeated.
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

/** REST's names of an enum's values, if it has its own: it doesn't take the schema's. */
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

/** GraphQL would take a string of digits, which the contract doesn't: all but integers and null become NaN, which it rejects. */
function readId(sent: unknown): unknown {
  if (sent == null || typeof sent === 'bigint') {
    return sent;
  }
  return typeof sent === 'number' && Number.isInteger(sent) ? String(sent) : Number.NaN;
}

/** Only a string: an ID would take an integer for its digits. */
function readTextId(sent: unknown): unknown {
  return sent == null || typeof sent === 'string' ? sent : Number.NaN;
}
