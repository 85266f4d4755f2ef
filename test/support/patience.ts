/**
 * To be imported before the service (`node --import`): its requests wait for the database longer than a machine takes on
 * which much else runs, as those of gateway.ts do.
 */
import { changeSources } from './changed-sources.ts';

changeSources([
  {
    file: 'packages/postgres/src/pool.ts',
    text: '{ connection: 800, statement: 800 }',
    replacement: '{ connection: 20_000, statement: 20_000 }',
  },
  {
    file: 'packages/graphql-server/src/execution/deadline.ts',
    text: 'REQUEST_TIMEOUT_MS = 1800',
    replacement: 'REQUEST_TIMEOUT_MS = 20_000',
  },
]);
