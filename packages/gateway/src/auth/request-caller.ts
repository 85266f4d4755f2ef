import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FairQueue } from '@gateway/fair-scheduling/fair-queue';
import { addWait, requestContext } from '@gateway/log/log';
import type { RateLimit } from '@gateway/rate-limits/rate-limit';
import { tooManyRequests } from '@gateway/rate-limits/rejection';
import type { ClientAddress } from '@gateway/http-server/http/client-address';
import { varyBy } from '@gateway/http-server/http/vary';
import type { Authenticate, Caller } from './authenticate.ts';

export interface Admission {
  readonly authenticate: Authenticate;
  readonly clientAddress: ClientAddress;
  readonly keyLimit: RateLimit | undefined;
  readonly queue: FairQueue;
}

interface Admitted {
  readonly caller: Caller;
  /** Milliseconds that authentication took. */
  readonly waited: number;
  /** To be awaited before work that follows any other wait, such as for the body. */
  readonly turn: () => Promise<void>;
}

/**
 * Authenticates a request, before anything else of it is read. Its response is private, and never cached without
 * revalidation: the key may be revoked.
 *
 * @throws UNAUTHENTICATED or TOO_MANY_REQUESTS
 */
export async function callerOf(
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  { authenticate, clientAddress, keyLimit, queue }: Admission,
): Promise<Admitted> {
  response.setHeader('Cache-Control', 'private, no-cache');
  varyBy(response, 'Authorization');
  const current = queue.current();
  const began = performance.now();
  const caller = await authenticate(request.headers.authorization, () => clientAddress(request));
  const waited = performance.now() - began;
  const { keyName } = caller;
  const turn = async (): Promise<void> => {
    addWait(await queue.turn(caller.client));
  };
  if (current === 0 || queue.current() !== current) {
    // Many requests may have waited for the same lookup.
    await turn();
  }
  const context = requestContext.getStore();
  if (context !== undefined) {
    context.keyId = keyName;
  }
  if (keyLimit !== undefined) {
    const quota = keyLimit.take(keyName);
    response.setHeader('RateLimit-Policy', keyLimit.policyField);
    response.setHeader('RateLimit', keyLimit.quotaField(quota));
    if (!quota.allowed) {
      throw tooManyRequests('key', keyLimit, quota);
    }
  }
  return { caller, waited, turn };
}
