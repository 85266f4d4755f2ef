import { createStore } from '../../packages/gateway/src/store.ts';
import { gateway } from '../../src/gateway.ts';

/** Schema and routes of the animals, as they are served. */
export const store = createStore(await gateway.load(), gateway.prisma.models);
export const { schema, rest } = store;
