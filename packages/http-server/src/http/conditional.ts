import type { Request, Response } from 'express';
import fresh from 'fresh';
import { send, sendHeaders } from './send.ts';

/**
 * Sends a body under its entity tag, or 304 to whoever has it already (RFC 9110, 13.1.2). Express's own
 * answer, `request.fresh`, also looks at the client's Cache-Control, which is for caches on the way: fetch
 * sends `no-cache` with every If-None-Match, and would never be told.
 */
export function sendTagged(
  { request, response }: { request: Request; response: Response },
  { etag, mediaType, body }: { etag: string; mediaType: string; body: string | Uint8Array },
): void {
  response.set('ETag', etag);
  if (fresh({ 'if-none-match': request.get('If-None-Match') }, { etag })) {
    sendHeaders(response.status(304));
  } else {
    send(response, mediaType, body);
  }
}
