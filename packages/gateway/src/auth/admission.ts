import type { IncomingMessage } from 'node:http';
import { hash } from 'node:crypto';
import {
  type AccessToken,
  bearerToken,
  type Caller,
  callerOfId,
  commonScopes,
  createAuthenticate,
  createDeferredLookups,
  createFailedAttempts,
  createValidKeys,
  InvalidToken,
  isApiKey,
  type KeyLookups,
  ProviderUnavailable,
  recordOutcome,
  type Restrictions,
  UNRESTRICTED,
  type ValidKeys,
} from '@store-gateway/access';
import { codedError, errorCode } from '@store-gateway/ops/errors';
import {
  clientOfKey,
  type FairQueue,
  type RateLimit,
  type RateLimits,
  tooManyRequests,
} from '@store-gateway/http/limits';
import { type Admit, type ClientAddress, type ClientOf, varyBy } from '@store-gateway/http';
import { addWait, log, redactTokens, requestContext } from '@store-gateway/ops';
import type { AccessTokens } from '@store-gateway/access/tokens';
import { GraphQLError } from 'graphql';
import type { Access, Identity } from '../definition.ts';
import { scopeNames } from './scope-names.ts';
import type { Config } from '../config/config.ts';

const DOCUMENTS_ONLY = 'This API key may only send trusted documents to /graphql';
const alternatives = new Intl.ListFormat('en', { type: 'disjunction' });

/**
 * Checks from a request's head that the restrictions of the caller's key allow the request.
 *
 * @param takesDocuments whether the endpoint itself enforces the restriction to trusted documents
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
  /** Resolves the identity provider's access tokens to callers; undefined if there is no provider. */
  readonly accessTokens: AccessTokens<Caller> | undefined;
  /** Rejects an authentication that takes too long. */
  readonly withDeadline: <T>(authentication: Promise<T>) => Promise<T>;
  readonly clientAddress: ClientAddress;
  readonly queue: FairQueue;
}

interface Admission {
  /**
   * Authenticates a request, and counts it towards the caller's rate limit, before the rest of the request is read. Makes the
   * response private, and requires revalidation before a cached response is reused, because the key may be revoked.
   *
   * @throws UNAUTHENTICATED, TOO_MANY_REQUESTS, or FORBIDDEN if the key's restrictions don't allow the request
   */
  readonly admit: Admit<Caller>;
  /**
   * Like `admit`, but admits callers that are restricted to trusted documents, for endpoints that enforce this restriction
   * themselves.
   */
  readonly admitDocuments: Admit<Caller>;
  /**
   * Returns the client to which the fair queue attributes a request. This is the request's key if an earlier lookup found it
   * valid; otherwise it is the sender's address, with separate clients for unverified keys and for requests without a key.
   */
  readonly clientOf: ClientOf;
}

/**
 * Creates the functions that admit callers and limit their rates, as the store defines. By default, every valid API key has the
 * same limit.
 */
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
        // Other requests may have waited for the same lookup, so this one waits for its turn.
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

const MESSAGES = {
  missing: 'An access token or an API key is required: Authorization: Bearer <TOKEN>',
  invalid: 'The access token is not valid',
  expired: 'The access token has expired',
} as const;

/**
 * The error is shared by all requests, so that it is logged once. @store-gateway/access logs that the provider is unreachable.
 */
const UNAVAILABLE = new GraphQLError(
  'The service cannot reach its identity provider right now. Please try again.',
  {
    extensions: codedError('SERVICE_UNAVAILABLE', 'the identity provider is unreachable')
      .extensions,
  },
);

/**
 * Maximum number of rejected tokens to verify per interval. Each takes up to 8 ms, with four ES512 keys, so together they use
 * less than a tenth of a processor.
 */
const MAX_DEFERRED_TOKENS = 10;

const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Whether a bearer token is an access token from the identity provider, and not an API key. */
function isAccessToken(token: string, keyPrefix: string): boolean {
  return !token.startsWith(keyPrefix) && JWT.test(token);
}

interface TokenAuthentication {
  readonly keyPrefix: string;
  /** Authenticates requests that have no access token. */
  readonly byApiKey: AuthenticateRequest;
  /** The limit on invalid tokens or keys from one address. */
  readonly failedAuth: RateLimit | undefined;
  readonly clientAddress: ClientAddress;
  readonly withDeadline: <T>(authentication: Promise<T>) => Promise<T>;
}

/**
 * Authenticates requests by access tokens, in addition to API keys. While an unknown token is being verified, it counts towards
 * the limit of the sender's address. An invalid token keeps counting, once for each provider key that was tried. Over the limit,
 * tokens are verified later, and a valid one is admitted when the client retries.
 *
 * @throws UNAUTHENTICATED, TOO_MANY_REQUESTS, or SERVICE_UNAVAILABLE if the token's key is unknown and the provider is
 *   unreachable
 */
function authenticateByToken(
  tokens: AccessTokens<Caller>,
  { keyPrefix, byApiKey, failedAuth, clientAddress, withDeadline }: TokenAuthentication,
): AuthenticateRequest {
  const verifyLater = createDeferredLookups(async (deferred) => {
    for (const token of deferred) {
      await tokens.verify(token).catch(() => undefined);
    }
  }, MAX_DEFERRED_TOKENS);
  const isKnown = { has: (token: string) => tokens.known(token) !== undefined };
  const beginAttempt = failedAuth && createFailedAttempts(failedAuth, isKnown, verifyLater);

  async function verify(token: string, address: string): Promise<Caller> {
    using attempt = await beginAttempt?.(token, address).catch((rejection: unknown) => {
      recordOutcome('rate_limited');
      throw rejection;
    });
    let rejection: Error | undefined;
    try {
      return (
        tokens.known(token) ??
        (await tokens.verify(token, () => {
          rejection = attempt?.extend();
          return rejection === undefined;
        }))
      );
    } catch (error) {
      if (error instanceof ProviderUnavailable) {
        throw UNAVAILABLE;
      }
      if (!(error instanceof InvalidToken)) {
        throw error;
      }
      const { hasExpired, message } = error;
      log.debug({ reason: message }, 'access token rejected');
      attempt?.failed();
      if (rejection !== undefined) {
        recordOutcome('rate_limited');
        throw rejection;
      }
      recordOutcome(hasExpired ? 'expired' : 'unknown');
      throw codedError('UNAUTHENTICATED', hasExpired ? MESSAGES.expired : MESSAGES.invalid);
    }
  }

  return async (request) => {
    const token = bearerToken(request.headers.authorization);
    if (token === undefined) {
      recordOutcome('no_key');
      throw codedError('UNAUTHENTICATED', MESSAGES.missing);
    }
    const known = tokens.known(token);
    if (known === undefined && !isAccessToken(token, keyPrefix)) {
      return byApiKey(request);
    }
    // The address is read before the verification, because a closed socket has no address.
    const caller = known ?? (await withDeadline(verify(token, clientAddress(request))));
    recordOutcome('ok');
    return caller;
  };
}

/**
 * Returns a function that creates callers from an issuer's tokens.
 *
 * @param known the store's scopes
 */
function callerOfToken(issuer: string, known: ReadonlySet<string>) {
  return ({ subject, scopes, claims }: AccessToken): Caller => {
    // The prefix distinguishes subjects, which may be numbers, from the ids of keys.
    const name = `sub:${subject}`;
    return {
      ...UNRESTRICTED,
      id: idOf(issuer, subject),
      name,
      client: clientOfKey(name),
      scopes: scopes.intersection(known),
      claims,
    };
  };
}

/**
 * Derives a user's id from 63 bits of a SHA-256. The id is negative, so it differs from every key's id. The probability that any
 * two of a million subjects share an id is 5 in 100 million.
 */
function idOf(issuer: string, subject: string): bigint {
  const digest = hash('sha256', JSON.stringify([issuer, subject]), 'buffer');
  return -(digest.readBigUInt64BE() >> 1n) - 1n;
}

const MAX_ID = 2n ** 63n - 1n;

/** Authenticates the sender of a request. @throws UNAUTHENTICATED, or TOO_MANY_REQUESTS after too many invalid keys */
type AuthenticateRequest = (request: IncomingMessage) => Promise<Caller>;

interface OwnAuthentication {
  readonly byApiKey: AuthenticateRequest;
  /** Remembers the token's caller, so that later requests with the token are queued for the caller, not for their address. */
  readonly validKeys: ValidKeys;
  readonly withDeadline: <T>(authentication: Promise<T>) => Promise<T>;
}

/** Authenticates requests with the store's own function. */
function authenticateAs(
  authenticate: NonNullable<Access['authenticate']>,
  { byApiKey, validKeys, withDeadline }: OwnAuthentication,
): AuthenticateRequest {
  return async (request) => {
    const token = bearerToken(request.headers.authorization);
    const refused = (): void => {
      recordOutcome('unknown');
      if (token !== undefined) {
        validKeys.delete(token);
      }
    };
    let isAboutKey = false;
    let holder: Caller | undefined;
    const askForKey = async (): Promise<Caller> => {
      isAboutKey = true;
      return (holder = await byApiKey(request));
    };
    const found = await withDeadline(authenticate(request, askForKey)).catch((error: unknown) => {
      if (!isAboutKey && errorCode(error) === 'UNAUTHENTICATED') {
        refused();
      }
      throw error;
    });
    if (found === undefined) {
      refused();
      throw codedError('UNAUTHENTICATED', 'The request has no valid credentials');
    }
    if (holder !== undefined && 'client' in found && found.id === holder.id) {
      return { ...holder, ...commonRestrictions(holder, found), claims: found.claims };
    }
    recordOutcome('ok');
    const caller = userOf(found, holder);
    if (token !== undefined) {
      validKeys.set(token, caller.client);
    }
    return caller;
  };
}

/** @param by the restrictions of the request's API key, if `authenticate` looked it up; they also apply to the user */
function userOf(found: Identity | Caller, by: Restrictions = UNRESTRICTED): Caller {
  const { id, claims } = found;
  if (typeof id !== 'bigint' || id < 1n || id > MAX_ID) {
    throw new RangeError(`authenticate must return an id from 1 to 2^63 - 1, not ${String(id)}`);
  }
  const restrictions = commonRestrictions(by, found);
  return { ...callerOfId(-id, restrictions.scopes, claims), ...restrictions };
}

/**
 * Combines two sets of restrictions, so that a store can restrict a key's holder further, but never allow more than the key does.
 */
function commonRestrictions(
  by: Restrictions,
  { scopes, origins = null, documentsOnly = false }: Identity & Partial<Restrictions>,
): Restrictions {
  return {
    scopes: commonScopes(by.scopes, scopes),
    origins: by.origins?.filter((each) => origins === null || origins.includes(each)) ?? origins,
    documentsOnly: by.documentsOnly || documentsOnly,
  };
}

/**
 * Starts accepting access tokens from the configured identity provider; returns undefined if there is none. The provider's keys
 * are fetched in the background, because it may be unreachable.
 */
export async function openIdentityProvider(
  access: Access,
  { oidcIssuer: issuer, oidcAudience: audience }: Pick<Config, 'oidcIssuer' | 'oidcAudience'>,
): Promise<AccessTokens<Caller> | undefined> {
  if (issuer === undefined || audience === undefined) {
    return undefined;
  }
  redactTokens();
  // Loaded only if needed, because most stores have no identity provider.
  const { createAccessTokens } = await import('@store-gateway/access/tokens');
  const callerOf = callerOfToken(issuer, new Set(scopeNames(access)));
  const tokens = createAccessTokens({ issuer, audience, callerOf });
  void tokens.refresh();
  return tokens;
}
