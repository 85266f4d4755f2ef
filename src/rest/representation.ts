import { hash } from 'node:crypto';
import { isJsonObject } from '../json.ts';

/** A resource as REST sends it. */
export interface Representation {
  /** JSON. */
  readonly body: string;
  /** Its entity tag (RFC 9110, 8.8.3). */
  readonly etag: string;
}

/** By the resource: one that several callers share is written once. */
const written = new WeakMap<object, Representation>();

/**
 * A resource as REST's JSON: what is an id, a string in GraphQL, as an integer of all its digits.
 *
 * @param idKeys the names of the members that are ids: always the same for the same resource
 */
export function representation(resource: unknown, idKeys: ReadonlySet<string>): Representation {
  if (typeof resource !== 'object' || resource === null) {
    return represent(resource, idKeys);
  }
  let known = written.get(resource);
  if (known === undefined) {
    known = represent(resource, idKeys);
    written.set(resource, known);
  }
  return known;
}

function represent(resource: unknown, idKeys: ReadonlySet<string>): Representation {
  const body = write(resource, false, idKeys);
  return { body, etag: `"${hash('sha1', body, 'base64')}"` };
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
