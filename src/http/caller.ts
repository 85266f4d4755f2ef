import type { Request, Response } from 'express';
import type { Authenticate } from '../auth/authenticate.ts';
import type { Caller } from '../auth/caller.ts';

declare global {
  namespace Express {
    interface Locals {
      /** For the request's log line. */
      caller?: Caller;
    }
  }
}

/**
 * Tells who calls; throws UNAUTHENTICATED. To be asked before anything else of a request is read. The
 * answer is then for this caller alone, who has to ask again each time: a key may have been revoked.
 */
export async function callerOf(
  { request, response }: { request: Request; response: Response },
  authenticate: Authenticate,
): Promise<Caller> {
  response.set('Cache-Control', 'private, no-cache').vary('Authorization');
  const caller = await authenticate(request.headers.authorization);
  response.locals.caller = caller;
  return caller;
}
