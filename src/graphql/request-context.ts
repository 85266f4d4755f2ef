import type { Caller } from '../auth/caller.ts';

/** What the app knows of a request to `/graphql` by the time that it gets here. */
export interface RequestContext {
  readonly caller: Caller;
  /** The JSON object of a POST. */
  readonly body: Readonly<Record<string, unknown>>;
}
