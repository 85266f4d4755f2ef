import type { IncomingMessage, ServerResponse } from 'node:http';
import fresh from 'fresh';
import { send, sendHeaders } from './send.ts';

/**
 * Whether the client has the representation of this entity tag (RFC 9110, 13.1.2). Express's own answer,
 * `request.fresh`, also looks at the client's Cache-Control, which is for caches on the way: fetch sends `no-cache` with
 * every If-None-Match, and would never be told.
 */
export function hasCurrent({ headers }: IncomingMessage, etag: string): boolean {
  const ifNoneMatch = headers['if-none-match'];
  return ifNoneMatch !== undefined && fresh({ 'if-none-match': ifNoneMatch }, { etag });
}

/** Sends a body under its entity tag, or 304 to whoever has it already. */
export function sendTagged(
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  { etag, mediaType, body }: { etag: string; mediaType: string; body: string | Uint8Array },
): void {
  response.setHeader('ETag', etag);
  if (hasCurrent(request, etag)) {
    response.statusCode = 304;
    sendHeaders(response);
  } else {
    send(response, mediaType, body);
  }
}
