import { GraphQLError } from 'graphql';
import { createAddressRejection } from '@store-gateway/api-keys/address-rejection';
import { recordOutcome } from '@store-gateway/api-keys/authenticate';
import type { Caller } from '@store-gateway/api-keys/caller';
import { codedError } from '@store-gateway/errors/coded-error';
import { bearerToken } from '@store-gateway/api-keys/bearer-token';
import type { ClientAddress } from '@store-gateway/http-server/http/client-address';
import { log } from '@store-gateway/log/log';
import type { AccessTokens } from '@store-gateway/oidc/access-tokens';
import { InvalidToken, ProviderUnavailable } from '@store-gateway/oidc/refusals';
import type { RateLimit } from '@store-gateway/rate-limits/rate-limit';
import type { AuthenticateRequest } from './own-authentication.ts';

const MESSAGES = {
  missing: 'An access token or an API key is required: Authorization: Bearer <TOKEN>',
  invalid: 'The access token is not valid',
  expired: 'The access token has expired',
} as const;

/** One for all requests: it is logged once, and the provider's absence by @store-gateway/oidc. */
const UNAVAILABLE = new GraphQLError(
  'The service cannot reach its identity provider right now. Please try again.',
  { extensions: codedError('SERVICE_UNAVAILABLE', 'the identity provider is away').extensions },
);

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
 * Authenticates by access tokens beside API keys. Only a token that turns out to be invalid counts for the limit of its
 * address: to verify one takes no longer than to reject a request, and so nobody is shut out by others behind the address.
 *
 * @throws UNAUTHENTICATED, TOO_MANY_REQUESTS, or SERVICE_UNAVAILABLE if the key of the token is unknown and the provider away
 */
export function authenticateByToken(
  tokens: AccessTokens<Caller>,
  { keyPrefix, byApiKey, failedAuth, clientAddress, withDeadline }: TokenAuthentication,
): AuthenticateRequest {
  const rejection = failedAuth && createAddressRejection(failedAuth);

  function refusal(error: unknown, address: string): unknown {
    if (error instanceof ProviderUnavailable) {
      return UNAVAILABLE;
    }
    if (!(error instanceof InvalidToken)) {
      return error;
    }
    const { hasExpired, message } = error;
    log.debug({ reason: message }, 'access token refused');
    const quota = failedAuth?.peek(address);
    if (rejection !== undefined && quota?.allowed === false) {
      recordOutcome('rate_limited');
      return rejection(address, quota);
    }
    failedAuth?.take(address);
    recordOutcome(hasExpired ? 'expired' : 'unknown');
    return codedError('UNAUTHENTICATED', hasExpired ? MESSAGES.expired : MESSAGES.invalid);
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
    const address = known === undefined ? clientAddress(request) : '';
    const caller =
      known ??
      (await withDeadline(tokens.verify(token)).catch((error: unknown) => {
        throw refusal(error, address);
      }));
    recordOutcome('ok');
    return caller;
  };
}
