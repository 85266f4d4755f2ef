import type { IncomingMessage } from 'node:http';
import {
  type Caller,
  isApiKey,
  createAuthenticate,
  type KeyLookups,
  createValidKeys,
  bearerToken,
} from '@store-gateway/access';
import { codedError } from '@store-gateway/ops/errors';
import type { Access } from '../definition.ts';
import { type FairQueue, type RateLimits, tooManyRequests } from '@store-gateway/http/limits';
import { type Admit, type ClientOf, type ClientAddress, varyBy } from '@store-gateway/http';
import { addWait, requestContext } from '@store-gateway/ops';
import type { AccessTokens } from '@store-gateway/access/tokens';
import {
  authenticateAs,
  type AuthenticateRequest,
  authenticateByToken,
  isAccessToken,
} from './token-authentication.ts';
import { scopeNames } from './scope-names.ts';

const DOCUMENTS_ONLY = 'This API key may only send trusted documents to /graphql';
const alternatives = new Intl.ListFormat('en', { type: 'disjunction' });

/**
 * Checks by a request's head that the caller's key may be used for it.
 *
 * @param takesDocuments whether the endpoint itself enforces keys' restriction to trusted documents
 * @throws FORBIDDEN
 */
function expectWithinRestrictions(
  { origins, documentsOnly }: Caller,
  { headers }: IncomingMessage,
  takesDocuments: boolean,
): void {
  if (origins !== null && !origins.includes(headers.origin ?? '')) {
    throw codedError(
      'FORBIDDEN',
      `This API key only works on pages of ${alternatives.format(origins)}`,
    );
  }
  if (documentsOnly && !takesDocuments) {
    throw codedError('FORBIDDEN', DOCUMENTS_ONLY);
  }
}

interface AdmissionOptions {
  readonly rateLimits: RateLimits;
  /** Of the identity provider, if there is one. */
  readonly accessTokens: AccessTokens<Caller> | undefined;
  /** Rejects an authentication that takes too long. */
  readonly withDeadline: <T>(authentication: Promise<T>) => Promise<T>;
  readonly clientAddress: ClientAddress;
  readonly queue: FairQueue;
}

interface Admission {
  /**
   * Authenticates a request and counts it, before anything else of it is read. Its response is private, and never cached
   * without revalidation: the key may be revoked.
   *
   * @throws UNAUTHENTICATED, TOO_MANY_REQUESTS, or FORBIDDEN if the caller's key isn't for such requests
   */
  readonly admit: Admit<Caller>;
  /** Like `admit`, but admits callers that are restricted to trusted documents, for the endpoint to enforce that. */
  readonly admitDocuments: Admit<Caller>;
  /**
   * The client that a request counts for in the fair queue: its key; before that is verified, the unverified keys of its
   * address; without a key, the address.
   */
  readonly clientOf: ClientOf;
}

/** Admits callers and limits their rates: as the store decides, or by default every valid API key equally. */
export function createAdmission(
  access: Access,
  database: KeyLookups,
  { rateLimits, accessTokens, withDeadline, clientAddress, queue }: AdmissionOptions,
): Admission {
  const { keyPrefix, authenticate: own, rateLimitOf } = access;
  const { keys: keyLimit, keysWith, failedAuth } = rateLimits;
  const validKeys = createValidKeys();
  const authenticateKey = createAuthenticate(database, {
    scopes: new Set(scopeNames(access)),
    failedAuth,
    validKeys,
    withDeadline,
  });
  const byApiKey: AuthenticateRequest = (request) =>
    authenticateKey(request.headers.authorization, () => clientAddress(request));
  const byToken =
    accessTokens &&
    authenticateByToken(accessTokens, {
      keyPrefix,
      byApiKey,
      failedAuth,
      clientAddress,
      withDeadline,
    });
  const standard = byToken ?? byApiKey;
  const authenticate =
    own === undefined
      ? standard
      : authenticateAs(own, { byApiKey: standard, validKeys, withDeadline });

  function isWellFormed(token: string): boolean {
    return (
      isApiKey(token, keyPrefix) || (accessTokens !== undefined && isAccessToken(token, keyPrefix))
    );
  }

  function limitOf(caller: Caller) {
    if (rateLimitOf === undefined) {
      return keyLimit;
    }
    const policy = rateLimitOf(caller, keyLimit?.policy);
    return policy && keysWith(policy);
  }

  const admitTo =
    (takesDocuments: boolean): Admit<Caller> =>
    async ({ request, response }) => {
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
        context.callerId = caller.id;
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
      if (caller.origins !== null) {
        varyBy(response, 'Origin');
      }
      expectWithinRestrictions(caller, request, takesDocuments);
      return { caller, waited, turn };
    };

  return {
    admit: admitTo(false),
    admitDocuments: admitTo(true),
    clientOf: (request) => {
      const token = bearerToken(request.headers.authorization);
      const name =
        token === undefined
          ? undefined
          : (validKeys.get(token) ?? accessTokens?.known(token)?.client);
      if (name !== undefined) {
        return { kind: 'key', name };
      }
      const kind = token !== undefined && isWellFormed(token) ? 'unverified' : 'address';
      return { kind, name: `${kind}:${clientAddress(request)}` };
    },
  };
}
