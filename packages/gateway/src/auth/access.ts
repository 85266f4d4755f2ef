import type { IncomingMessage } from 'node:http';
import type { RateLimitPolicy } from '@store-gateway/http/limits';
import type { Caller, Scopes } from '@store-gateway/access';

/** A user of the store's own, beside the API keys. */
export interface Identity {
  /** 1 to 2^63 - 1. */
  readonly id: bigint;
  /** What it may do: `'all'`, or scopes of the store. */
  readonly scopes: Scopes;
  /** What resolvers are to know of it, as `caller.claims`. */
  readonly claims?: unknown;
}

/** Who may use a store. */
export interface Access {
  /** Begins every API key: 2 to 8 lower-case letters or digits and an underscore, such as `books_`. */
  readonly keyPrefix: string;
  /** More scopes of keys than `read` and `write`, with what each allows, in a sentence: `{ prices: 'See prices.' }`. */
  readonly scopes?: Readonly<Record<string, string>>;
  /**
   * Tells who sends a request, before its body is read; by default that is `byApiKey`. It may go by all that the request's
   * headers say. No two requests share a response then, only what they read.
   *
   * @param byApiKey the holder of the request's API key, or of its access token; throws UNAUTHENTICATED if it has none
   * @returns a user, or what `byApiKey` gave, perhaps with claims or restricted further; undefined if it is nobody: UNAUTHENTICATED
   */
  readonly authenticate?: (
    request: IncomingMessage,
    byApiKey: () => Promise<Caller>,
  ) => Promise<Identity | Caller | undefined>;
  /**
   * The rate limit of a caller, for all of its requests; undefined is none. By default it is the same for all.
   *
   * @param standard RATE_LIMIT, which is undefined if it is off
   */
  readonly rateLimitOf?: (
    caller: Caller,
    standard: RateLimitPolicy | undefined,
  ) => RateLimitPolicy | undefined;
}
