import {
  getNullableType,
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  isInputObjectType,
  isListType,
  type GraphQLType,
} from 'graphql';
import type { Input } from '@gateway/pothos-plugins/input-faults';
import { toInt64 } from '@gateway/pothos-plugins/input-rules';
import { inputMembers } from './members.ts';
import type { Operation } from './operation.ts';

/** A variable, and the argument that it is given to. */
export type Variable = readonly [name: string, input: Input];

/** Where each of an operation's variables comes from. */
export interface Variables {
  readonly path: readonly Variable[];
  readonly query: readonly Variable[];
  /** What the body makes up. */
  readonly body: Variable | undefined;
}

/** A variable is a parameter of the path if that names it, the body if it is an input object, or else of the query. */
export function variablesOf({ inputs }: Operation, path: string): Variables {
  const placeOf = ([name, { type }]: Variable) =>
    path.split('/').includes(`:${name}`)
      ? 'path'
      : isInputObjectType(getNullableType(type))
        ? 'body'
        : 'query';
  const { path: inPath = [], query = [], body } = Object.groupBy(inputs, placeOf);
  return { path: inPath, query, body: body?.[0] };
}

type Values = Record<string, unknown>;
type Read = (sent: unknown) => unknown;
type NamedRead = readonly [name: string, read: Read];

/**
 * Reads an operation's variables from what a client sent. It judges nothing: what can't be read is handed on as something
 * that the schema refuses.
 */
export function createReader({
  path,
  query,
  body,
}: Variables): (sent: { path: Values; query: Values; body: Values }) => Values {
  const pathReads = path.map(textRead);
  const queryReads = query.map(textRead);
  const [bodyName, bodyInput] = body ?? [];
  const bodyReads = inputMembers(bodyInput?.type).map(({ key, field }): NamedRead => [
    key,
    jsonReader(field.type),
  ]);
  return (sent) => ({
    ...readAll(pathReads, sent.path),
    ...readAll(queryReads, sent.query),
    ...(bodyName !== undefined && { [bodyName]: readAll(bodyReads, sent.body) }),
  });
}

function textRead([name, { type }]: Variable): NamedRead {
  return [name, textReader(type)];
}

/** Those that were not sent stay out: GraphQL takes an undefined one for null. */
function readAll(reads: readonly NamedRead[], sent: Values): Values {
  const values: Values = {};
  for (const [name, read] of reads) {
    const value = read(sent[name]);
    if (value !== undefined) {
      values[name] = value;
    }
  }
  return values;
}

const asSent: Read = (sent) => sent;

/** What is no text of the type, be it empty or repeated, stays as it is: the type doesn't take it. */
function textReader(type: GraphQLType): Read {
  switch (getNullableType(type)) {
    case GraphQLInt:
      return (sent) => {
        const integer = typeof sent === 'string' ? toInt64(sent) : undefined;
        return integer === undefined ? sent : Number(integer);
      };
    case GraphQLFloat:
      return (sent) =>
        typeof sent === 'string' && /^-?\d+(?:\.\d+)?$/.test(sent) ? Number(sent) : sent;
    case GraphQLBoolean:
      return (sent) => sent === 'true' || (sent === 'false' ? false : sent);
    default:
      return asSent;
  }
}

function jsonReader(type: GraphQLType): Read {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const item: GraphQLType = nullable.ofType;
    const read = jsonReader(item);
    return (sent) => (Array.isArray(sent) ? sent.map(read) : sent);
  }
  return nullable === GraphQLID ? readId : asSent;
}

/**
 * The integer of a JSON body that is an id. An ID would also take a string of digits, which the contract doesn't: whatever
 * is neither integer nor null becomes NaN, which no ID takes.
 */
function readId(sent: unknown): unknown {
  if (sent == null || typeof sent === 'bigint') {
    return sent;
  }
  return typeof sent === 'number' && Number.isInteger(sent) ? String(sent) : Number.NaN;
}
