import type { Request, Response } from 'express';
import type { Authenticate } from './authenticate.ts';
import type { Caller } from './caller.ts';
import { clientOfKey } from '@gateway/fair-scheduling/client-of-key';
import type { FairQueue } from '@gateway/fair-scheduling/fair-queue';
import { noteWait, requestUnderWay } from '@gateway/log/log';
import type { RateLimit } from '@gateway/rate-limits/rate-limit';
import { tooManyRequests } from '@gateway/rate-limits/refusal';
import type { ClientAddress } from '@gateway/http-server/http/client-address';

/** What it takes to be let in. */
export interface Admission {
  readonly authenticate: Authenticate;
  readonly clientAddress: ClientAddress;
  /** How much each key may ask for. */
  readonly keyLimit: RateLimit | undefined;
  /** In which requests wait for their turn. */
  readonly queue: FairQueue;
}

/** Who has been let in. */
export interface Admitted {
  readonly caller: Caller;
  /** Milliseconds that it took to look at the key. */
  readonly waited: number;
  /** To be awaited when it has waited for anything else, such as its body, before much is done. */
  readonly turn: () => Promise<void>;
}

/**
 * Tells who calls; throws UNAUTHENTICATED or TOO_MANY_REQUESTS. To be asked before anything else of a request
 * is read. The answer is then for this caller alone, who has to ask again each time: a key may have been
 * revoked.
 */
export async function callerOf(
  { request, response }: { request: Request; response: Response },
  { authenticate, clientAddress, keyLimit, queue }: Admission,
): Promise<Admitted> {
  response.setHeader('Cache-Control', 'private, no-cache');
  response.vary('Authorization');
  const current = queue.current();
  const began = performance.now();
  const caller = await authenticate(request.headers.authorization, () => clientAddress(request));
  const waited = performance.now() - began;
  const keyId = String(caller.keyId);
  const turn = async (): Promise<void> => {
    noteWait(await queue.turn(clientOfKey(keyId)));
  };
  if (current === 0 || queue.current() !== current) {
    // The database was asked, and many may have waited for the same answer.
    await turn();
  }
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
  return { caller, waited, turn };
}
