import { hash } from 'node:crypto';
import { getNamedType, GraphQLID, GraphQLString } from 'graphql';
import { memoizeLast } from '@gateway/coalescing/memoize-last';
import type { Member } from './members.ts';

export interface Representation {
  /** JSON. */
  readonly body: string;
  /** Its entity tag (RFC 9110, 8.8.3). */
  readonly etag: string;
}

/**
 * Writes a result as JSON, ids as exact integers. A result that several callers share is written once.
 *
 * @throws if ids can't be told from texts: at start, not at a request
 */
export function createRepresent({ members }: Member): (resource: object) => Representation {
  const write = writerOf(members);
  return memoizeLast((resource: object) => {
    const body = write(resource);
    return { body, etag: `"${hash('sha1', body, 'base64')}"` };
  });
}

/**
 * Takes the quotes off ids in the text, which takes half as long as to write each member by itself. Within a text of the
 * JSON there is no such place: its own quotes have a backslash.
 */
function writerOf(members: readonly Member[]): (resource: object) => string {
  const all = members.flatMap(function within(member: Member): Member[] {
    return [member, ...member.members.flatMap(within)];
  });
  const keys = [...new Set(all.filter(isId).map(({ key }) => key))];
  const ambiguous = all.find(
    ({ key, field }) => keys.includes(key) && getNamedType(field.type) === GraphQLString,
  );
  if (ambiguous !== undefined) {
    throw new Error(`A REST route can't select ${ambiguous.key} both as an ID and as a String`);
  }
  if (keys.length === 0) {
    return (resource) => JSON.stringify(resource);
  }
  const one = new RegExp(`"(${keys.join('|')})":"(-?\\d+)"`, 'g');
  const several = new RegExp(`"(?:${keys.join('|')})":\\[[^\\]]*\\]`, 'g');
  const hasLists = all.some((member) => isId(member) && String(member.field.type).startsWith('['));
  const write = (resource: object) => JSON.stringify(resource).replace(one, '"$1":$2');
  return hasLists
    ? (resource) => write(resource).replace(several, (list) => list.replaceAll(/"(-?\d+)"/g, '$1'))
    : write;
}

function isId({ field }: Member): boolean {
  return getNamedType(field.type) === GraphQLID;
}
