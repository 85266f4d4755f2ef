import { loadStore } from '../../packages/gateway/src/store.ts';
import { gateway } from '../../src/gateway.ts';

/** Schema and routes of the animals, as they are served. */
export const store = await loadStore(gateway);
export const { schema, rest } = store;
