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

/** A variable's name, and the input that it is passed to. */
export type Variable = readonly [name: string, input: PlacedInput];

/** An operation's variables, by the part of a request that they come from. */
export interface Variables {
  readonly path: readonly Variable[];
  readonly query: readonly Variable[];
  /** The names of the variables in the query. */
  readonly queryNames: ReadonlySet<string>;
  readonly body: Variable | undefined;
  /** The row versions that If-Match accepts. */
  readonly precondition: Variable | undefined;
}

/**
 * Assigns each variable to a part of the request: one that the path names is a path parameter, one of an input type is the
 * body, one for a precondition is If-Match, and all others are query parameters.
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
 * Returns a function that reads an operation's variables from a request. Only the schema validates them: unreadable values are
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

/** Reads members. It omits those that weren't sent, because GraphQL treats an undefined member as null. */
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
 * that the type rejects it. Items of a list are separated by commas, or repeated.
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

/** Reads an enum's values by REST's names, if it has its own. The schema's names are then rejected. */
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
 * Reads an integer ID. GraphQL would accept a string of digits, but the contract doesn't: everything except integers and null
 * becomes NaN, which GraphQL rejects.
 */
function readId(sent: unknown): unknown {
  if (sent == null || typeof sent === 'bigint') {
    return sent;
  }
  return typeof sent === 'number' && Number.isInteger(sent) ? String(sent) : Number.NaN;
}

/** Reads a text ID. Only strings are accepted: GraphQL would accept an integer as its digits. */
function readTextId(sent: unknown): unknown {
  return sent == null || typeof sent === 'string' ? sent : Number.NaN;
}
