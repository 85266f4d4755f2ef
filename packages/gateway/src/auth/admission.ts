import type { FairQueue } from '@gateway/fair-scheduling/fair-queue';
import type { ClientAddress } from '@gateway/http-server/http/client-address';
import type { RateLimits } from '@gateway/rate-limits/rate-limits';
import type { KeyLookups } from '@gateway/api-keys/key-records';
import type { Access } from './access.ts';
import { createAuthenticate } from '@gateway/api-keys/authenticate';
import { authenticateAs, type AuthenticateRequest } from './own-authentication.ts';
import type { Admission } from './request-caller.ts';
import type { ValidKeys } from '@gateway/api-keys/valid-keys';

interface AdmissionOptions {
  readonly rateLimits: RateLimits;
  readonly validKeys: ValidKeys;
  /** Rejects an authentication that takes too long. */
  readonly withDeadline: <T>(authentication: Promise<T>) => Promise<T>;
  readonly clientAddress: ClientAddress;
  readonly queue: FairQueue;
}

/** Who is admitted, and how often: as the store decides, or whoever has an API key, all alike. */
export function createAdmission(
  { authenticate: own, rateLimitOf }: Access,
  database: KeyLookups,
  { rateLimits, validKeys, withDeadline, clientAddress, queue }: AdmissionOptions,
): Admission {
  const { keys: keyLimit, keysWith, failedAuth } = rateLimits;
  const authenticateKey = createAuthenticate(database, { failedAuth, validKeys, withDeadline });
  const byApiKey: AuthenticateRequest = (request) =>
    authenticateKey(request.headers.authorization, () => clientAddress(request));
  return {
    authenticate:
      own === undefined ? byApiKey : authenticateAs(own, { byApiKey, validKeys, withDeadline }),
    limitOf:
      rateLimitOf === undefined
        ? () => keyLimit
        : (caller) => {
            const policy = rateLimitOf(caller, keyLimit?.policy);
            return policy && keysWith(policy);
          },
    queue,
  };
}
