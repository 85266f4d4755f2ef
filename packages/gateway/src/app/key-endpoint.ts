import type { Caller } from '@store-gateway/access';
import { type Admit, type Endpoint, JSON_TYPE, otherMethods, send } from '@store-gateway/http';
import { writeError } from '@store-gateway/rest';

/** The path at which clients look up what their key may do. */
const KEY_PATH = '/key{/}';

/** Returns what the caller's own key may do. */
export function createKeyEndpoints(admit: Admit<Caller>): Endpoint[] {
  return [
    {
      method: 'GET',
      path: KEY_PATH,
      answer: async (request, response) => {
        const { caller } = await admit({ request, response });
        const { scopes, origins, documentsOnly } = caller;
        const names = scopes === 'all' ? null : [...scopes].toSorted();
        send(response, JSON_TYPE, JSON.stringify({ scopes: names, origins, documentsOnly }));
      },
      writeError,
    },
    otherMethods(KEY_PATH, ['GET', 'HEAD'], writeError),
  ];
}
