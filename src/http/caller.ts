import type { Request, Response } from 'express';
import type { Authenticate } from '../auth/authenticate.ts';
import type { Caller } from '../auth/caller.ts';
import { requestUnderWay } from '../log.ts';
import type { RateLimit } from '../rate-limits/rate-limit.ts';
import { tooManyRequests } from '../rate-limits/refusal.ts';
import type { ClientAddress } from './client-address.ts';

/** What it takes to be let in. */
export interface Admission {
  readonly authenticate: Authenticate;
  readonly clientAddress: ClientAddress;
  /** How much each key may ask for. */
  readonly keyLimit: RateLimit | undefined;
}

/** Who has been let in. */
export interface Admitted {
  readonly caller: Caller;
  /** Milliseconds that it took to look at the key. */
  readonly waited: number;
}

/**
 * Tells who calls; throws UNAUTHENTICATED or TOO_MANY_REQUESTS. To be asked before anything else of a request
 * is read. The answer is then for this caller alone, who has to ask again each time: a key may have been
 * revoked.
 */
export async function callerOf(
  { request, response }: { request: Request; response: Response },
  { authenticate, clientAddress, keyLimit }: Admission,
): Promise<Admitted> {
  response.setHeader('Cache-Control', 'private, no-cache');
  response.vary('Authorization');
  const began = performance.now();
  const caller = await authenticate(request.headers.authorization, () => clientAddress(request));
  const waited = performance.now() - began;
  const keyId = String(caller.keyId);
  const underWay = requestUnderWay.getStore();
  if (underWay !== undefined) {
    underWay.keyId = keyId;
  }
  if (keyLimit !== undefined) {
    const standing = keyLimit.take(keyId);
    response.setHeader('RateLimit-Policy', keyLimit.policyField);
    response.setHeader('RateLimit', keyLimit.standingField(standing));
    if (!standing.allowed) {
      throw tooManyRequests('key', keyLimit, standing);
    }
  }
  return { caller, waited };
}
