import type { GraphQLError } from 'graphql';
import type { ViolatedFields, Violation } from '@store-gateway/postgres';
import type { Caller } from '@store-gateway/access';
import type { MutationListeners } from '@store-gateway/graphql/execution';

/**
 * A store's own errors for what its database rejects: by the names of constraints, and by the SQLSTATEs that its triggers and
 * functions raise, with their message.
 */
export type ViolationErrors = Readonly<Record<string, (message: string) => GraphQLError>>;

/** What resolvers use in every request. */
export interface Services<Client = object> {
  /** The store's Prisma client. In a request it sees the rows that the caller sees; elsewhere, none of a type with `visible`. */
  readonly database: Client;
  /** The same for all rows, whoever calls. */
  readonly unrestrictedDatabase: Client;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /**
   * The secret in the versions of rows.
   *
   * @internal
   */
  readonly versionKey: string;
  /** Tells which fields of which model a constraint of the database is about. */
  readonly violatedFields: (violation: Violation) => Promise<ViolatedFields>;
  /** The store's own errors for what the database rejects. */
  readonly violations?: ViolationErrors | undefined;
}

/** The context of resolvers, for each request. */
export interface Context<Client = object> extends Services<Client>, MutationListeners {
  /** Who sent the request, and what they may do. */
  readonly caller: Caller;
  /** The request's Idempotency-Key. */
  readonly idempotencyKey?: string | undefined;
}
