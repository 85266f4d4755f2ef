import type { Request, Response } from 'express';
import type { Authenticate } from '../auth/authenticate.ts';
import type { Caller } from '../auth/caller.ts';
import { requestUnderWay } from '../log.ts';

/**
 * Tells who calls; throws UNAUTHENTICATED. To be asked before anything else of a request is read. The
 * answer is then for this caller alone, who has to ask again each time: a key may have been revoked.
 */
export async function callerOf(
  { request, response }: { request: Request; response: Response },
  authenticate: Authenticate,
): Promise<Caller> {
  response.setHeader('Cache-Control', 'private, no-cache');
  response.vary('Authorization');
  const caller = await authenticate(request.headers.authorization);
  const underWay = requestUnderWay.getStore();
  if (underWay !== undefined) {
    underWay.keyId = String(caller.keyId);
  }
  return caller;
}
