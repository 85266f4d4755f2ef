import { hash } from 'node:crypto';
import { memoizeLast } from '@gateway/coalescing/memoize-last';
import { isJsonObject } from '@gateway/exact-json/json';

/** A resource as REST sends it. */
export interface Representation {
  /** JSON. */
  readonly body: string;
  /** Its entity tag (RFC 9110, 8.8.3). */
  readonly etag: string;
}

/**
 * Writes what a route's operation tells of a resource as REST's JSON: what is an id, a string in GraphQL,
 * as an integer of all its digits. A resource that several callers share is written once.
 *
 * @param idKeys the names of the members that are ids
 */
export function createRepresent(idKeys: ReadonlySet<string>): (resource: object) => Representation {
  return memoizeLast((resource: object) => {
    const body = write(resource, false, idKeys);
    return { body, etag: `"${hash('sha1', body, 'base64')}"` };
  });
}

function write(value: unknown, isId: boolean, idKeys: ReadonlySet<string>): string {
  if (typeof value === 'string') {
    return isId ? value : quoted(value);
  }
  if (Array.isArray(value)) {
    return `[${value.map((item: unknown) => write(item, isId, idKeys)).join(',')}]`;
  }
  if (!isJsonObject(value)) {
    return JSON.stringify(value);
  }
  let members = '';
  for (const name in value) {
    members += `${members && ','}"${name}":${write(value[name], idKeys.has(name), idKeys)}`;
  }
  return `{${members}}`;
}

/** Printable ASCII without what JSON escapes. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
