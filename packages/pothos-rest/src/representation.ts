import { hash } from 'node:crypto';
import { getNullableType, GraphQLID, isListType, type GraphQLType } from 'graphql';
import { memoizeLast } from '@gateway/coalescing/memoize-last';
import { isJsonObject } from '@gateway/exact-json/json';
import type { Member } from './members.ts';

export interface Representation {
  /** JSON. */
  readonly body: string;
  /** Its entity tag (RFC 9110, 8.8.3). */
  readonly etag: string;
}

/** Writes a result as JSON, ids as exact integers. A result that several callers share is written once. */
export function createRepresent({ field, members }: Member): (resource: object) => Representation {
  const write = writerOf(field.type, members);
  return memoizeLast((resource: object) => {
    const body = write(resource);
    return { body, etag: `"${hash('sha1', body, 'base64')}"` };
  });
}

type Write = (value: unknown) => string;

function writerOf(type: GraphQLType, members: readonly Member[]): Write {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const item: GraphQLType = nullable.ofType;
    const write = writerOf(item, members);
    return (list) => (Array.isArray(list) ? `[${list.map(write).join(',')}]` : 'null');
  }
  if (members.length === 0) {
    return nullable === GraphQLID ? writeId : writeLeaf;
  }
  const parts = members.map(({ key, field, members: inner }, index) => ({
    key,
    prefix: `${index === 0 ? '{' : ','}"${key}":`,
    write: writerOf(field.type, inner),
  }));
  return (value) => {
    if (!isJsonObject(value)) {
      return 'null';
    }
    let text = '';
    for (const { key, prefix, write } of parts) {
      text += prefix + write(value[key]);
    }
    return `${text}}`;
  };
}

function writeId(id: unknown): string {
  return typeof id === 'string' || typeof id === 'bigint' ? String(id) : 'null';
}

/** Printable ASCII without what JSON escapes. */
const PLAIN = /^[ !#-[\]-~]*$/;

function writeLeaf(value: unknown): string {
  const isPlain = typeof value === 'string' && PLAIN.test(value);
  return isPlain ? `"${value}"` : JSON.stringify(value ?? null);
}
