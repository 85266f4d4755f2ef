import type { Mutation } from './changed-sources.ts';

/** Makes requests wait for the database longer than a busy machine takes, like those in gateway.ts. */
export const PATIENCE: readonly Mutation[] = [
  {
    file: 'packages/postgres/src/pool.ts',
    text: '{ connection: 800, statement: 800 }',
    replacement: '{ connection: 20_000, statement: 20_000 }',
  },
  {
    file: 'packages/graphql/src/execution/execute.ts',
    text: 'REQUEST_TIMEOUT_MS = 1800',
    replacement: 'REQUEST_TIMEOUT_MS = 20_000',
  },
];

/** Keeps keys cached even if the database does not respond. */
export const LASTING_KEYS: readonly Mutation[] = [
  {
    file: 'packages/access/src/keys/authenticate.ts',
    text: 'CACHE_TTL_MS = 3000',
    replacement: 'CACHE_TTL_MS = 600_000',
  },
];
