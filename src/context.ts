import type { Caller } from './auth/authenticate.ts';
import type { Database } from './database/client.ts';
import type { DeprecatedCalls } from './usage/deprecated-calls.ts';

/** What resolvers use in every request. */
export interface Services {
  readonly database: Database;
  readonly deprecatedCalls: DeprecatedCalls;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The context of resolvers, for each request. */
export interface Context extends Services {
  readonly caller: Caller;
  /** The key of the next create, if the request has an Idempotency-Key. */
  readonly nextKey?: (() => string) | undefined;
  /** Called for a create that was done before, under its key. */
  readonly onReplay?: (() => void) | undefined;
}
