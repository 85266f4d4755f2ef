import { getNamedType, GraphQLID } from 'graphql';
import { isJsonObject, memoizeLast, WrittenJson } from '@store-gateway/ops';
import { entityTagsOf } from './entity-tag.ts';
import { isIntegerId, type Member } from './members.ts';
import { restNamesOf } from './rest-names.ts';

/** A resource as REST represents it. */
export interface Representation {
  /** The body, as JSON. */
  readonly body: string;
  /** Its entity tag, calculated at the first call. */
  readonly etag: () => string;
}

/**
 * Returns a function that writes a result as JSON, with ids as exact integers. A result that several callers share is written
 * once.
 *
 * @param versionKey the key of the row version in the result, if it has one
 */
export function createRepresent(
  resource: Member,
  versionKey?: string,
): (resource: object) => Representation {
  const write = writerOf(resource);
  const tagOf = entityTagsOf(resource, versionKey);
  return memoizeLast((value: object) => {
    const body = write(value);
    let etag: string | undefined;
    return { body, etag: () => (etag ??= tagOf(value, body)) };
  });
}

/** Writes a value of a result as JSON. */
type Write = (value: unknown) => string;

/** An integer in JSON's syntax. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** Returns a function that writes values of a member's type, or lists of them. */
export function writerOf({ field, members }: Pick<Member, 'field' | 'members'>): Write {
  if (members.length > 0) {
    return listWriter(objectWriter(members));
  }
  const type = getNamedType(field.type);
  if (isIntegerId(type, field.extensions)) {
    return listWriter(writeId);
  }
  if (type.name === GraphQLID.name) {
    return listWriter(JSON.stringify);
  }
  const restNames = restNamesOf(type);
  if (restNames !== undefined) {
    return listWriter((value) => JSON.stringify(restNames.get(String(value)) ?? value));
  }
  return JSON.stringify;
}

function listWriter(write: Write): Write {
  const writeAny: Write = (value) => {
    if (!Array.isArray(value)) {
      return value instanceof WrittenJson ? value.text : write(value);
    }
    let text = '[';
    for (let index = 0; index < value.length; index += 1) {
      text += index === 0 ? writeAny(value[index]) : `,${writeAny(value[index])}`;
    }
    return `${text}]`;
  };
  return writeAny;
}

/**
 * Returns a function that writes an object member by member. That takes two thirds of the time of removing the quotes around
 * ids from JSON.stringify's text.
 */
function objectWriter(members: readonly Member[]): Write {
  // A field that is selected twice is in the result once, with both selections merged.
  const merged = new Map<string, Member>();
  for (const member of members) {
    const others = merged.get(member.key)?.members ?? [];
    merged.set(member.key, { ...member, members: [...others, ...member.members] });
  }
  const parts = [...merged.values()].map((member) => ({
    name: `"${member.key}":`,
    key: member.key,
    write: writerOf(member),
  }));
  return (object) => {
    if (!isJsonObject(object)) {
      return JSON.stringify(object);
    }
    let text = '{';
    for (const { name, key, write } of parts) {
      const value = object[key];
      // A directive may omit the member.
      if (value !== undefined) {
        text += (text.length > 1 ? ',' : '') + name + write(value);
      }
    }
    return `${text}}`;
  };
}

function writeId(id: unknown): string {
  return typeof id === 'string' && INTEGER.test(id) ? id : JSON.stringify(id);
}
