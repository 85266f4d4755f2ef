import type { IncomingMessage } from 'node:http';
import { isApiKey } from '../auth/api-key.ts';
import { bearerToken } from '../auth/bearer.ts';
import type { ValidKeys } from '../auth/valid-keys.ts';
import { clientOfKey } from '@gateway/fair-scheduling/client-of-key';
import type { ClientAddress } from '@gateway/http-server/http/client-address';
import { isProbe } from '@gateway/http-server/health';

/** Who a request is from, as far as can be told by its head, without asking the database. */
export interface Client {
  /** `unverified` has a key that isn't known to be valid, `address` has none; a `probe` is always let in. */
  readonly kind: 'key' | 'unverified' | 'address' | 'probe';
  /** One of each kind for each key or address. */
  readonly name: string;
}

export type ClientOf = (request: IncomingMessage) => Client;

/**
 * Those with an unverified key are other clients than those without any from the same address: so an honest client's first
 * request isn't behind all that comes from there without a key. Probes are clients of their own, too.
 */
export function createClientOf(validKeys: ValidKeys, clientAddress: ClientAddress): ClientOf {
  return (request) => {
    if (isProbe(request)) {
      return clientAt('probe', clientAddress(request));
    }
    const token = bearerToken(request.headers.authorization);
    const keyId = token === undefined ? undefined : validKeys.get(token);
    if (keyId !== undefined) {
      return { kind: 'key', name: clientOfKey(keyId) };
    }
    const kind = token !== undefined && isApiKey(token) ? 'unverified' : 'address';
    return clientAt(kind, clientAddress(request));
  };
}

function clientAt(kind: Client['kind'], address: string): Client {
  return { kind, name: `${kind}:${address}` };
}
