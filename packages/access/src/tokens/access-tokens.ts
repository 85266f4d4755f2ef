import { errors, jwtVerify, type JWTVerifyGetKey, type JWTVerifyResult } from 'jose';
import { LRUCache } from 'lru-cache';
import { readToken, type AccessToken, InvalidToken, ProviderUnavailable } from './claims.ts';
import { fetchProviderKeys, createSigningKeys } from './signing-keys.ts';

/** Asymmetric algorithms only, so that only the provider can sign. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** Maximum difference between the clocks of the provider and the service. */
const MAX_SKEW_SECONDS = 30;

const MAX_CACHED_TOKENS = 10_000;

/** Maximum number of keys to try for a token that doesn't name its key: verifying a signature takes up to 2 ms. */
const MAX_TRIED_KEYS = 4;

/** Maximum number of concurrent verifications: half of libuv's threads, which file access and DNS lookups need too. */
const MAX_VERIFICATIONS = 2;

/** Maximum total length of the cached tokens. */
const MAX_CACHED_CHARACTERS = 10_000_000;

/** Defines which tokens are accepted, and how they are converted to callers. */
interface AccessTokensOptions<Caller> {
  /** The issuer, exactly as in the tokens' `iss`. */
  readonly issuer: string;
  /** The name of this service in the tokens' `aud`. */
  readonly audience: string;
  /** Returns the caller of a token. Called once for each token. */
  readonly callerOf: (token: AccessToken) => Caller;
  /** Defaults to the global `fetch`. */
  readonly fetch?: Parameters<typeof fetchProviderKeys>[1];
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly uptime?: () => number;
}

/** Resolves a provider's access tokens to callers. */
export interface AccessTokens<Caller> extends Disposable {
  /** Returns the caller of a token that was verified before and is still valid. */
  readonly known: (token: string) => Caller | undefined;
  /**
   * Verifies a token and returns its caller.
   *
   * @param mayTryAnother called before each additional signature check, for a token that doesn't name its key
   * @throws InvalidToken if the token is invalid, or if no other key may be tried; ProviderUnavailable if the token's key is
   *   unknown and the provider is unreachable
   */
  readonly verify: (token: string, mayTryAnother?: () => boolean) => Promise<Caller>;
  /** Fetches the provider's keys. Resolves when that has succeeded or failed. */
  readonly refresh: () => Promise<void>;
}

interface KnownToken<Caller> {
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Limits the number of concurrent verifications. Waiting verifications start in the order of their arrival. */
function createVerifications(maximum: number) {
  let running = 0;
  const waiting: (() => void)[] = [];

  return {
    /** Creates a verification, which ends when it is disposed. */
    turn: (): Disposable & { readonly begin: () => Promise<void> } => {
      let hasBegun = false;
      return {
        begin: async () => {
          if (running === maximum) {
            await new Promise<void>((resolve) => {
              waiting.push(resolve);
            });
          } else {
            running += 1;
          }
          hasBegun = true;
        },
        [Symbol.dispose]: () => {
          const next = hasBegun ? waiting.shift() : undefined;
          if (next !== undefined) {
            next();
          } else if (hasBegun) {
            running -= 1;
          }
        },
      };
    },
  };
}

/**
 * Verifies access tokens that are JWTs (RFC 9068), and caches each until it expires or the provider's keys change. Call
 * `refresh` to begin fetching the provider's keys.
 */
export function createAccessTokens<Caller extends object>({
  issuer,
  audience,
  callerOf,
  fetch: fetchUrl = fetch,
  now = Date.now,
  uptime = () => performance.now(),
}: AccessTokensOptions<Caller>): AccessTokens<Caller> {
  const cache = new LRUCache<string, KnownToken<Caller>>({
    max: MAX_CACHED_TOKENS,
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (_known, token) => token.length,
  });
  const verifications = createVerifications(MAX_VERIFICATIONS);
  let keysVersion = 0;
  const keys = createSigningKeys({
    fetchKeys: (stopped) => fetchProviderKeys(issuer, fetchUrl, stopped),
    onChanged: () => {
      keysVersion += 1;
      cache.clear();
    },
    now: uptime,
  });

  /** Verifies a signature when its turn comes. Waiting for a key doesn't delay other tokens. */
  async function verifyBy(token: string, keyOf: JWTVerifyGetKey): Promise<JWTVerifyResult> {
    using turn = verifications.turn();
    return await jwtVerify(
      token,
      async (header, signed) => {
        const key = await keyOf(header, signed);
        await turn.begin();
        return key;
      },
      {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: MAX_SKEW_SECONDS,
        requiredClaims: ['exp'],
        currentDate: new Date(now()),
      },
    );
  }

  /** Verifies a token that doesn't name its key, by trying the provider's keys for its algorithm. */
  async function verifyByAnyKey(
    token: string,
    matching: errors.JWKSMultipleMatchingKeys,
    mayTryAnother: () => boolean,
  ): Promise<JWTVerifyResult> {
    let failure: unknown = matching;
    let tried = 0;
    for await (const key of matching) {
      if (tried === MAX_TRIED_KEYS || (tried > 0 && !mayTryAnother())) {
        break;
      }
      try {
        return await verifyBy(token, () => key);
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) {
          throw error;
        }
        failure = error;
      }
      tried += 1;
    }
    throw failure;
  }

  async function verified(
    token: string,
    mayTryAnother: () => boolean,
  ): Promise<KnownToken<Caller>> {
    const { protectedHeader, payload } = await verifyBy(token, keys.keyOf)
      .catch((error: unknown) => {
        if (error instanceof errors.JWKSMultipleMatchingKeys) {
          return verifyByAnyKey(token, error, mayTryAnother);
        }
        throw error;
      })
      .catch((error: unknown) => {
        throw error instanceof ProviderUnavailable ? error : invalidToken(error);
      });
    const { exp = 0 } = payload;
    return {
      caller: callerOf(readToken(token, protectedHeader, payload)),
      expiresAt: (exp + MAX_SKEW_SECONDS) * 1000,
    };
  }

  return {
    known: (token) => {
      const found = cache.get(token);
      return found !== undefined && now() < found.expiresAt ? found.caller : undefined;
    },
    verify: async (token, mayTryAnother = () => true) => {
      const began = keysVersion;
      const found = await verified(token, mayTryAnother);
      // If the keys have changed in the meantime, the token's key may have been removed.
      if (began === keysVersion) {
        cache.set(token, found);
      }
      return found.caller;
    },
    refresh: keys.refresh,
    [Symbol.dispose]: keys[Symbol.dispose],
  };
}

/** Converts any error to an InvalidToken. The messages of jose's errors don't contain any part of the token. */
function invalidToken(error: unknown): InvalidToken {
  return new InvalidToken(
    error instanceof errors.JOSEError ? error.message : 'it cannot be verified',
    error instanceof errors.JWTExpired,
  );
}
