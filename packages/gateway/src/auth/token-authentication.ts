import { GraphQLError } from 'graphql';
import {
  recordOutcome,
  type Caller,
  createDeferredLookups,
  createFailedAttempts,
  bearerToken,
  InvalidToken,
  ProviderUnavailable,
} from '@store-gateway/access';
import { codedError } from '@store-gateway/ops/errors';
import type { ClientAddress } from '@store-gateway/http';
import { log } from '@store-gateway/ops';
import type { AccessTokens } from '@store-gateway/access/tokens';
import type { RateLimit } from '@store-gateway/http/limits';
import type { AuthenticateRequest } from './own-authentication.ts';

const MESSAGES = {
  missing: 'An access token or an API key is required: Authorization: Bearer <TOKEN>',
  invalid: 'The access token is not valid',
  expired: 'The access token has expired',
} as const;

/** One for all requests: it is logged once, and the provider's absence by @store-gateway/access. */
const UNAVAILABLE = new GraphQLError(
  'The service cannot reach its identity provider right now. Please try again.',
  { extensions: codedError('SERVICE_UNAVAILABLE', 'the identity provider is away').extensions },
);

/** Each takes up to 8 ms, for four keys with ES512: less than a tenth of a processor. */
const MAX_DEFERRED_TOKENS = 10;

const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Whether a bearer token is one for the identity provider, and no API key. */
export function isAccessToken(token: string, keyPrefix: string): boolean {
  return !token.startsWith(keyPrefix) && JWT.test(token);
}

interface TokenAuthentication {
  readonly keyPrefix: string;
  /** For all that is no access token. */
  readonly byApiKey: AuthenticateRequest;
  /** How often an address may send an invalid token, or an invalid key. */
  readonly failedAuth: RateLimit | undefined;
  readonly clientAddress: ClientAddress;
  readonly withDeadline: <T>(authentication: Promise<T>) => Promise<T>;
}

/**
 * Authenticates by access tokens beside API keys. A token that is unknown counts for the limit of its address while it is
 * verified, and for good if it turns out to be invalid, once for each key that was tried. Beyond the limit it is verified later:
 * a valid one is let in when it comes again.
 *
 * @throws UNAUTHENTICATED, TOO_MANY_REQUESTS, or SERVICE_UNAVAILABLE if the key of the token is unknown and the provider away
 */
export function authenticateByToken(
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
      log.debug({ reason: message }, 'access token refused');
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
    // Before it is verified: a socket that is closed meanwhile has no address.
    const caller = known ?? (await withDeadline(verify(token, clientAddress(request))));
    recordOutcome('ok');
    return caller;
  };
}
