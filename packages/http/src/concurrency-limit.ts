import type { IncomingMessage, ServerResponse } from 'node:http';
import { createOpenShares } from './fair/execution-slots.ts';
import { recorder } from '@store-gateway/ops';
import { connectionOf } from './connection.ts';

/** What all clients without a key may have open together: pages are for people, and few. */
const KEYLESS_SHARE = 1 / 10;

/** What all keys that aren't known to be valid may have: a client with many addresses can make up as many of them. */
const UNVERIFIED_SHARE = 1 / 2;

/** Who a request is from, as far as its head says, without asking the database. */
interface Client {
  /** `unverified` has a key that isn't known to be valid, `address` has none. */
  readonly kind: 'key' | 'unverified' | 'address';
  /** One for each key or address of a kind. */
  readonly name: string;
}

/** Tells whose share a request counts to. */
export type ClientOf = (request: IncomingMessage) => Client;

/**
 * Bounds the requests that are open at a time, also those that wait for their turn or their bodies. Each client has a
 * share (`createOpenShares`), and what comes without a valid key has parts of its own beside.
 *
 * @param maximum each may have a body of 100 kB in memory
 * @returns counts a request as open until its response has ended; false if it is one too many
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
