import type { IncomingMessage, ServerResponse } from 'node:http';
import fresh from 'fresh';
import { sendHeaders } from './send.ts';
import { codedError } from '@store-gateway/ops/errors';

/**
 * Whether the client already has the representation with this entity tag (RFC 9110, 13.1.2). Express's `request.fresh` also
 * evaluates the client's Cache-Control, which is meant for intermediary caches: fetch sends `no-cache` with every If-None-Match,
 * so it would never get a 304.
 */
function hasCurrent({ headers }: IncomingMessage, etag: string): boolean {
  const ifNoneMatch = headers['if-none-match'];
  return ifNoneMatch !== undefined && fresh({ 'if-none-match': ifNoneMatch }, { etag });
}

/** Sets a response's ETag, and sends 304 if the client already has the representation. Returns whether it has sent 304. */
export function sendNotModified(response: ServerResponse, etag: string): boolean {
  response.setHeader('ETag', etag);
  const isCurrent = hasCurrent(response.req, etag);
  if (isCurrent) {
    response.statusCode = 304;
    sendHeaders(response);
  }
  return isCurrent;
}

/** The entity tags in a header, weak ones with their `W/`, or `*` for any. */
export type EntityTags = '*' | readonly string[];

/** The message for an If-Match header that can't be parsed. */
export const INVALID_IF_MATCH = unparsed('If-Match');

/** Matches an entity tag (RFC 9110, 8.8.3). */
const TAG = /(?:W\/)?"[!#-~\u0080-\u00ff]*"/y;
/** Matches the separators between the tags of a list, which may have empty elements (RFC 9110, 5.6.1.2). */
const SEPARATORS = /[ \t,]*/y;

/**
 * Returns the entity tags of a request's If-Match or If-None-Match header; undefined if the header is missing.
 *
 * @throws BAD_USER_INPUT
 */
export function entityTagsIn(
  { headers }: IncomingMessage,
  name: 'If-Match' | 'If-None-Match',
): EntityTags | undefined {
  const header = headers[name === 'If-Match' ? 'if-match' : 'if-none-match'];
  if (header === undefined) {
    return undefined;
  }
  const tags = header.trim() === '*' ? '*' : entityTags(header);
  if (tags === undefined || tags.length === 0) {
    throw codedError('BAD_USER_INPUT', unparsed(name));
  }
  return tags;
}

function unparsed(name: string): string {
  return `${name} must be * or entity tags such as "abc"`;
}

/** Whether If-Match matches an entity tag by strong comparison (RFC 9110, 13.1.1). */
export function matchesStrongly(expected: EntityTags, etag: string): boolean {
  return expected === '*' || expected.includes(etag);
}

function entityTags(list: string): string[] | undefined {
  const tags: string[] = [];
  let end = skip(list, 0);
  while (end < list.length) {
    TAG.lastIndex = end;
    const [tag] = TAG.exec(list) ?? [];
    if (tag === undefined) {
      return undefined;
    }
    tags.push(tag);
    const next = skip(list, end + tag.length);
    if (next < list.length && !list.slice(end + tag.length, next).includes(',')) {
      return undefined;
    }
    end = next;
  }
  return tags;
}

function skip(list: string, from: number): number {
  SEPARATORS.lastIndex = from;
  return from + (SEPARATORS.exec(list)?.[0].length ?? 0);
}
