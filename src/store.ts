import type { Store } from './app/store.ts';
import { rest } from './rest/rest.ts';
import { schema } from './schema/index.ts';

/** The store of animals. */
export const store: Store = { schema, rest };
