import type { Caller } from './auth/caller.ts';
import type { Database } from './database/client.ts';
import type { DeprecatedCalls } from './usage/deprecated-calls.ts';

/** What a resolver may know of the world it serves: the same for both surfaces. */
export interface World {
  readonly database: Database;
  readonly deprecatedCalls: DeprecatedCalls;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** And of whoever calls it: fresh for each request. */
export interface Context extends World {
  readonly caller: Caller;
  /** Gives each create of a request with an idempotency key its own. */
  readonly nextIdempotencyKey?: (() => string) | undefined;
}
