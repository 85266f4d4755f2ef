import { isApiKey } from '@gateway/api-keys/api-key';
import type { ValidKeys } from '@gateway/api-keys/valid-keys';
import type { ClientOf } from '@gateway/http-server/concurrency-limit';
import { bearerToken } from '@gateway/http-server/http/bearer';
import type { ClientAddress } from '@gateway/http-server/http/client-address';

/**
 * The client that a request counts for in the fair queue: its key; before that is verified, the unverified keys of its
 * address; without a key, the address.
 */
export function createClientOf(
  validKeys: ValidKeys,
  clientAddress: ClientAddress,
  keyPrefix: string,
): ClientOf {
  return (request) => {
    const token = bearerToken(request.headers.authorization);
    const name = token === undefined ? undefined : validKeys.get(token);
    if (name !== undefined) {
      return { kind: 'key', name };
    }
    const kind = token !== undefined && isApiKey(token, keyPrefix) ? 'unverified' : 'address';
    return { kind, name: `${kind}:${clientAddress(request)}` };
  };
}
