import type { IncomingMessage, ServerResponse } from 'node:http';
import fresh from 'fresh';
import { sendHeaders } from './send.ts';

/**
 * Whether the client has the representation of this entity tag (RFC 9110, 13.1.2). Express's own answer,
 * `request.fresh`, also looks at the client's Cache-Control, which is for caches on the way: fetch sends `no-cache` with
 * every If-None-Match, and would never get a 304.
 */
function hasCurrent({ headers }: IncomingMessage, etag: string): boolean {
  const ifNoneMatch = headers['if-none-match'];
  return ifNoneMatch !== undefined && fresh({ 'if-none-match': ifNoneMatch }, { etag });
}

/** Tags a response, and sends 304 if the client has it already; false if the body must be sent. */
export function sendNotModified(response: ServerResponse, etag: string): boolean {
  response.setHeader('ETag', etag);
  const isCurrent = hasCurrent(response.req, etag);
  if (isCurrent) {
    response.statusCode = 304;
    sendHeaders(response);
  }
  return isCurrent;
}
