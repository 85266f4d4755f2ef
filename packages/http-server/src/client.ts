import type { IncomingMessage } from 'node:http';

/** Who a request is from, as far as can be told by its head, without asking the database. */
export interface Client {
  /** `unverified` has a key that isn't known to be valid, `address` has none. */
  readonly kind: 'key' | 'unverified' | 'address';
  /** One for each key or address of a kind. */
  readonly name: string;
}

export type ClientOf = (request: IncomingMessage) => Client;
