import type { Caller } from './auth/caller.ts';
import type { Database } from './database/client.ts';

/** What a resolver may know of whoever calls it: fresh for each request, the same for both surfaces. */
export interface Context {
  readonly caller: Caller;
  readonly database: Database;
}
