import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FairQueue } from '@gateway/fair-scheduling/fair-queue';
import { addWait, requestContext } from '@gateway/log/request-context';
import type { RateLimit } from '@gateway/rate-limits/rate-limit';
import { tooManyRequests } from '@gateway/rate-limits/rejection';
import { varyBy } from '@gateway/http-server/http/vary';
import type { Caller } from '@gateway/api-keys/caller';
import type { AuthenticateRequest } from './own-authentication.ts';

export interface Admission {
  readonly authenticate: AuthenticateRequest;
  readonly limitOf: (caller: Caller) => RateLimit | undefined;
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
  { authenticate, limitOf, queue }: Admission,
): Promise<Admitted> {
  response.setHeader('Cache-Control', 'private, no-cache');
  varyBy(response, 'Authorization');
  const current = queue.current();
  const began = performance.now();
  const caller = await authenticate(request);
  const waited = performance.now() - began;
  const turn = async (): Promise<void> => {
    addWait(await queue.turn(caller.client));
  };
  if (current === 0 || queue.current() !== current) {
    // Many requests may have waited for the same lookup.
    await turn();
  }
  const context = requestContext.getStore();
  if (context !== undefined) {
    context.keyId = caller.name;
  }
  const limit = limitOf(caller);
  if (limit !== undefined) {
    const quota = limit.take(caller.name);
    response.setHeader('RateLimit-Policy', limit.policyField);
    response.setHeader('RateLimit', limit.quotaField(quota));
    if (!quota.allowed) {
      throw tooManyRequests('key', limit, quota);
    }
  }
  return { caller, waited, turn };
}
