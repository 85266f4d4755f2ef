import type { Request, Response } from 'express';
import fresh from 'fresh';
import { send, sendHeaders } from './send.ts';

/**
 * Whether the client has the representation whose entity tag is set already (RFC 9110, 13.1.2). Express's own answer,
 * `request.fresh`, also looks at the client's Cache-Control, which is for caches on the way: fetch sends `no-cache` with
 * every If-None-Match, and would never be told.
 */
export function hasCurrent(request: Request, response: Response): boolean {
  const [ifNoneMatch, etag] = [request.get('If-None-Match'), response.get('ETag')];
  return fresh({ 'if-none-match': ifNoneMatch }, { etag });
}

/** Sends a body under its entity tag, or 304 to whoever has it already. */
export function sendTagged(
  { request, response }: { request: Request; response: Response },
  { etag, mediaType, body }: { etag: string; mediaType: string; body: string | Uint8Array },
): void {
  response.set('ETag', etag);
  if (hasCurrent(request, response)) {
    sendHeaders(response.status(304));
  } else {
    send(response, mediaType, body);
  }
}
