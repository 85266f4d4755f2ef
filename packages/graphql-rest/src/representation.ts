import { hash } from 'node:crypto';
import { getNamedType, GraphQLID } from 'graphql';
import { memoizeLast } from '@gateway/coalescing/memoize-last';
import { isJsonObject } from '@gateway/exact-json/json';
import { isInt64, isTextId, type Member } from './members.ts';

export interface Representation {
  /** JSON. */
  readonly body: string;
  /** Its entity tag (RFC 9110, 8.8.3), calculated at the first call. */
  readonly etag: () => string;
}

/** Writes a result as JSON, ids as exact integers. A result that several callers share is written once. */
export function createRepresent(resource: Member): (resource: object) => Representation {
  const convert = converterOf(resource);
  return memoizeLast((value: object) => {
    const body = JSON.stringify(convert === undefined ? value : convert(value));
    let etag: string | undefined;
    return { body, etag: () => (etag ??= `"${hash('sha1', body, 'base64')}"`) };
  });
}

type Convert = (value: unknown) => unknown;

/** Converts the ids in values of a member, or lists of them, without changing these; undefined if there are none. */
function converterOf({ field, members }: Pick<Member, 'field' | 'members'>): Convert | undefined {
  if (members.length === 0) {
    const type = getNamedType(field.type);
    const isInteger = type === GraphQLID ? !isTextId(field.extensions) : isInt64(type);
    return isInteger ? ofEach(toInteger) : undefined;
  }
  const converters = members.flatMap((member) => {
    const convert = converterOf(member);
    return convert === undefined ? [] : [[member.key, convert] as const];
  });
  const convertObject: Convert = (object) => {
    if (!isJsonObject(object)) {
      return object;
    }
    const copy = { ...object };
    for (const [key, convert] of converters) {
      copy[key] = convert(copy[key]);
    }
    return copy;
  };
  return converters.length === 0 ? undefined : ofEach(convertObject);
}

function ofEach(convert: Convert): Convert {
  const convertAny: Convert = (value) =>
    Array.isArray(value) ? value.map(convertAny) : convert(value);
  return convertAny;
}

/** What JSON writes as the integer that a text is; anything else as it is. */
function toInteger(id: unknown): unknown {
  if (typeof id !== 'string') {
    return id;
  }
  const number = Number(id);
  if (Number.isSafeInteger(number) && String(number) === id) {
    return number;
  }
  return /^-?(?:0|[1-9]\d*)$/.test(id) ? JSON.rawJSON(id) : id;
}
