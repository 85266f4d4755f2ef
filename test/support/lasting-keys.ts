/** To be imported before the service (`node --import`): a key that is known stays so, though the database doesn't answer. */
import { changeSources } from './changed-sources.ts';

changeSources([
  {
    file: 'packages/api-keys/src/authenticate.ts',
    text: 'CACHE_TTL_MS = 3000',
    replacement: 'CACHE_TTL_MS = 600_000',
  },
]);
