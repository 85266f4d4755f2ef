import type { IncomingMessage, ServerResponse } from 'node:http';
import { createOpenShares } from './fair/execution-slots.ts';
import { recorder } from '@store-gateway/ops';
import { connectionOf } from './connection.ts';

/** The share of open requests that all clients without a key have together: pages are for people, and need few. */
const KEYLESS_SHARE = 1 / 10;

/**
 * The share of open requests that all clients with unverified keys have together: each address is one, and a client may have
 * many.
 */
const UNVERIFIED_SHARE = 1 / 2;

/** The client that sent a request, as far as the request's head shows it without a database call. */
interface Client {
  /** `unverified` clients have a key that isn't known to be valid; `address` clients have none. */
  readonly kind: 'key' | 'unverified' | 'address';
  /** Unique for each key, or for each address and kind. */
  readonly name: string;
}

/** Returns the client to whose share a request counts. */
export type ClientOf = (request: IncomingMessage) => Client;

/**
 * Limits the open requests, including those that wait for their turn or for their bodies. Each client has a share
 * (`createOpenShares`). All clients with unverified keys together have a smaller limit, and so have all clients without a key.
 *
 * @param maximum number of open requests; each may have a body of 100 kB in memory
 * @returns a function that counts a request as open until its response has closed; it returns false for a request that exceeds
 *   the limit
 */
export function createConcurrencyLimit(
  maximum: number,
): (client: Client, response: ServerResponse) => boolean {
  recorder.observe('http_server_active_requests_max', () => maximum);
  let active = 0;
  recorder.observe('http_server_active_requests', () => active);
  const all = createOpenShares(maximum);
  const partOf = (share: number) => createOpenShares(Math.max(1, Math.floor(maximum * share)));
  const parts = {
    key: undefined,
    unverified: partOf(UNVERIFIED_SHARE),
    address: partOf(KEYLESS_SHARE),
  };

  return ({ kind, name }, response) => {
    const part = parts[kind];
    const isExcess = connectionOf(response.req.socket)?.isExcess === true;
    const isAdmitted = !isExcess && all.hasRoom(name) && part?.hasRoom(name) !== false;
    active += 1;
    if (isAdmitted) {
      all.opened(name);
      part?.opened(name);
    }
    response.prependListener('close', () => {
      active -= 1;
      if (isAdmitted) {
        all.closed(name);
        part?.closed(name);
      }
    });
    return isAdmitted;
  };
}
